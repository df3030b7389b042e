// SPDX-License-Identifier: Apache-2.0
//
// FLOP/s of operators and of a step, and a roofline where peaks are stated.
import { useMemo } from "preact/hooks";
import type { OperatorFlops, StepFlops } from "../../generated/answers.ts";
import { RooflineChart } from "../../charts/RooflineChart.tsx";
import { objectsOf } from "../../model/device_use.ts";
import { rooflineOf } from "../../model/roofline.ts";
import { tableOf } from "../../model/sql.ts";
import { hasValue, type Data } from "../../model/table.ts";
import { chosenSteps, useFlatTable } from "../../state/documents.ts";
import { showOnTimeline } from "../../state/locate.ts";
import { route } from "../../state/route.ts";
import { shareLook } from "../../table/looks.tsx";
import { Table } from "../../table/Table.tsx";
import { StepFlopsStrip } from "../overview/FlopsCard.tsx";
import { Loaded, Sized } from "../parts.tsx";
import { PeakField } from "../PeakField.tsx";

const EMPTY = "No FLOPs are known for the operators with recorded shapes. " +
  "Record with record_shapes=True.";

/** What is asked with both tables. */
function peaks(): Record<string, string> {
  const { cpeak, mpeak } = route.value.more;
  return { ...cpeak ? { "compute-peak": cpeak } : {},
    ...mpeak ? { "memory-peak": mpeak } : {} };
}

const show = (data: Data, row: number) => void showOnTimeline("operator",
  String(data.cell(row, 0)), { steps: chosenSteps() });

function Chart({ rows, step }: { rows: OperatorFlops[]; step: StepFlops }) {
  const of = useMemo(() => rooflineOf(rows, step), [rows, step]);
  return of && (
    <Sized height={250}>
      {(width) => <RooflineChart of={of} width={width} height={250} />}
    </Sized>
  );
}

export function Arithmetic({ children }: {
  children: preact.ComponentChildren;
}) {
  const rows = useFlatTable("flops", peaks());
  const steps = useFlatTable("mfu", peaks());
  const step = steps.state === "ready"
    ? objectsOf<StepFlops>(steps.value)[0] : undefined;
  const typed = Object.keys(peaks()).length > 0;
  const none = rows.state === "ready" && rows.value.count === 0;
  return (
    <>
      {/* Not inside what is read anew when a peak is typed here. */}
      {!none && <div class="arithmetic-head">
        {step && <StepFlopsStrip step={step} />}
        <div class="space" />
        <PeakField param="cpeak" text="Peak of a device, TFLOP/s"
          hint={"The most that a device can compute with the type that is " +
            "used: FLOP/s are then also shown as shares of it"}
          stated={step?.peak_tflops_per_s ?? null} />
        <PeakField param="mpeak" text="Its memory, GB/s"
          hint="The most that its memory can deliver: the slope of the roof"
          stated={step?.peak_memory_gb_per_s ?? null} />
      </div>}
      <Loaded what="Arithmetic" load={rows}>
        {(data) => (
          <>
            {step && data.count > 0 &&
              <Chart rows={objectsOf<OperatorFlops>(data)} step={step} />}
            <Table label="Arithmetic" data={data} prefix="flops." onShow={show}
              topK look={shareLook("kernel")}
              sql={{ ...tableOf("flops"),
                why: typed ? "SQL does not know what is typed here" : "" }}
              usual={["name", "calls", "flops", "time_ns", "tflops_per_s",
                "peak_ratio", ...hasValue(data, "measured_intensity")
                  ? ["measured_intensity"] : [], "intensity", "roof_ratio"]}
              usualSort="flops" empty={EMPTY}>{children}</Table>
          </>
        )}
      </Loaded>
    </>
  );
}

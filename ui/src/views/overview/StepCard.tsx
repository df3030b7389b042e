// SPDX-License-Identifier: Apache-2.0
//
// Where a step goes: parts that add up to it, and each step as a column.
import type {
  PartStep, StepPart, SummaryDoc,
} from "../../generated/answers.ts";
import { Columns, Swatch } from "../../charts/charts.tsx";
import { objectsOf } from "../../model/device_use.ts";
import { formatCount, formatShare, formatTime } from "../../model/format.ts";
import { cssVar } from "../../model/palette.ts";
import { percent } from "../../model/shares.ts";
import { stepMeaning } from "../../model/step_facts.ts";
import { Prose } from "../../shell/Prose.tsx";
import {
  barsOf, partColour, partsByStep, partTitle, processNames, stackOf, wholeOf,
} from "../../model/waterfall.ts";
import { useFlatTable } from "../../state/documents.ts";
import { trace } from "../../state/trace.ts";
import { showColumn } from "../steps/show.ts";
import { Card, Loaded, Sized } from "../parts.tsx";

export const hasDevice = (doc: SummaryDoc) => doc.overview.gpu.length > 0;

function Parts({ rows, steps, device }: {
  rows: StepPart[]; steps: number; device: boolean;
}) {
  const whole = wholeOf(rows);
  return (
    <table class="parts">
      <thead class="hidden"><tr>
        <th>Part</th><th>Place</th><th>Time per step</th><th>Share</th>
      </tr></thead>
      <tbody>
        {barsOf(rows, device).map((bar) => (
          <tr key={bar.part} title={bar.formula} data-part={bar.part}>
            <th scope="row"><Swatch hue={bar.colour} />{bar.title}</th>
            <td class="part-place"><span style={{
              left: percent(bar.x), width: percent(bar.ratio),
              background: cssVar(bar.colour) }} /></td>
            <td class="num">{formatTime(bar.mean_ns)}</td>
            <td class="num quiet">{formatShare(bar.ratio)}</td>
          </tr>
        ))}
      </tbody>
      {whole && <tfoot><tr data-part="step">
        <th scope="row">{steps > 0 ? `Step, mean of ${formatCount(steps)}`
          : "The recorded window"}</th><td />
        <td class="num">{formatTime(whole.mean_ns)}</td>
        <td class="num quiet">{formatShare(whole.ratio)}</td>
      </tr></tfoot>}
    </table>
  );
}

export function stepMarks(doc: SummaryDoc) {
  return {
    warmup: new Set(doc.steps.filter((one) => one.warmup)
      .map((one) => one.index)),
    outliers: new Set(doc.outliers.map((one) => one.index)),
    processes: processNames(trace.value?.info.groups ?? []),
  };
}

/** Each step as a column of its parts; a click shows it on the timeline. */
export function StepColumns({ doc, height }: {
  doc: SummaryDoc; height: number;
}) {
  const load = useFlatTable("part_steps");
  return (
    <Loaded what="The parts of each step" load={load}>
      {(data) => {
        const { names, steps } = partsByStep(objectsOf<PartStep>(data));
        const { columns, most } =
          stackOf(steps, names, partColour, stepMarks(doc));
        for (const column of columns)
          for (const part of column.parts)
            part.name = partTitle(part.name, hasDevice(doc));
        return (
          <Sized height={height}>
            {(width) => <Columns columns={columns} most={most} width={width}
              height={height} label="Each step" onPick={showColumn(doc)} />}
          </Sized>
        );
      }}
    </Loaded>
  );
}

export function StepCard({ doc }: { doc: SummaryDoc }) {
  const load = useFlatTable("step_parts");
  const steps = doc.waterfall?.inputs.steps ?? 0;
  return (
    <Card title="Where a step goes"
      detail={`a step ${stepMeaning(doc.step_time)}; the parts add up to it`}>
      <Loaded what="The parts of a step" load={load}>
        {(data) => data.count === 0
          ? <p class="nothing"><Prose text={"No steps in this trace. Call " +
            "step() after each batch, or mark it by a range named " +
            "`ProfileStep`."} /></p>
          : (
            <div class="step-card">
              <Parts rows={objectsOf<StepPart>(data)} steps={steps}
                device={hasDevice(doc)} />
              <StepColumns doc={doc} height={258} />
            </div>
          )}
      </Loaded>
    </Card>
  );
}

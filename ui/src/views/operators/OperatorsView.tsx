// SPDX-License-Identifier: Apache-2.0
//
// Operators by name, with what is inside them, or by name and shapes.
import { chosenSteps, useSummary, useFlatTable, useRows, useTables }
  from "../../state/documents.ts";
import { shareLook } from "../../table/looks.tsx";
import { cellsOf, showOnTimeline } from "../../state/locate.ts";
import { route, setMore } from "../../state/route.ts";
import type { DeclaredTable, SummaryDoc } from "../../generated/answers.ts";
import { hasDeviceTime, shownColumns }
  from "../../model/operator_columns.ts";
import type { Data } from "../../model/table.ts";
import { Table } from "../../table/Table.tsx";
import { Card, Loaded, Page, Segments, StepsChoice } from "../parts.tsx";

const EMPTY = "No operators in this trace. Record with ProfilerTarget.CPU " +
  "(torch: ProfilerActivity.CPU).";
const NO_SHAPES = "No shapes in this trace. Record with record_shapes=True.";

const show = (data: Data, row: number) => void showOnTimeline("operator",
  String(data.cell(row, 0)), { ...cellsOf(data, row), steps: chosenSteps() });
const showShape = (data: Data, row: number) => void showOnTimeline(
  "operator_shapes", String(data.cell(row, 0)),
  { ...cellsOf(data, row, ["shapes"]), steps: chosenSteps() });

function ByName({ doc, tables }: {
  doc: SummaryDoc; tables: DeclaredTable[];
}) {
  const data = useRows(tables, "operator", doc.operator, ["inner", "device"]);
  const device = hasDeviceTime(doc.operator);
  return (
    <Table label="Operators" sql="operator" data={data} onShow={show} topK
      look={shareLook("operator")}
      usual={shownColumns(["name", "calls", "cpu.total_ns", "cpu.avg_ns",
        "cpu.max_ns", "cpu.min_ns", "self_cpu_ns", "cpu.ratio",
        "gpu.total_ns", "gpu.avg_ns", "gpu.ratio"], device)}
      usualSort={device ? "gpu.total_ns" : "self_cpu_ns"} empty={EMPTY}>
      <Grouping />
    </Table>
  );
}

function ByShape({ doc }: { doc: SummaryDoc }) {
  const device = hasDeviceTime(doc.operator);
  const load = useFlatTable("operator_shapes");
  return (
    <Loaded what="Operators by shape" load={load}>
      {(data) => (
        <Table label="Operators by shape" data={data} onShow={showShape}
          topK
          look={shareLook("operator")}
          usual={shownColumns(["name", "shapes", "calls", "cpu.total_ns",
            "cpu.avg_ns", "cpu.ratio", "gpu.total_ns", "gpu.avg_ns",
            "gpu.ratio"], device)}
          usualSort={device ? "gpu.total_ns" : "cpu.total_ns"}
          empty={NO_SHAPES}>
          <Grouping />
        </Table>
      )}
    </Loaded>
  );
}

function Grouping() {
  return (
    <Segments label="Group by" value={route.value.more["by"] ?? ""} options={[
      { value: "", text: "By name" },
      { value: "shape", text: "By name and shapes" },
    ]} onPick={(value) => setMore("by", value)} />
  );
}

export default function OperatorsView() {
  const summary = useSummary();
  const tables = useTables();
  return (
    <Page title="Operators" fill actions={<StepsChoice />}
      detail={"CPU time, and the GPU time of what each one launched. " +
        "An operator inside another is listed too."}>
      <Card class="table-card">
        <Loaded what="Operators" load={summary}>
          {(doc) => (
            <Loaded what="The columns" load={tables}>
              {(declared) => route.value.more["by"] === "shape"
                ? <ByShape doc={doc} />
                : <ByName doc={doc} tables={declared} />}
            </Loaded>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// Operators by name, with what is inside them, or by name and shapes.
import { chosenSteps, useSummary, useFlatTable, useRows, useTables }
  from "../../state/documents.ts";
import { rankLook, shareLook } from "../../table/looks.tsx";
import { cellsOf, showOnTimeline } from "../../state/locate.ts";
import { route, setMore } from "../../state/route.ts";
import type { DeclaredTable, SummaryDoc } from "../../generated/answers.ts";
import { hasDeviceTime, shownColumns }
  from "../../model/operator_columns.ts";
import { tableOf, viewOf } from "../../model/sql.ts";
import { hasRanks } from "../../model/layout.ts";
import { columnIndex, type Data } from "../../model/table.ts";
import { trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { Card, Loaded, Page, Segments, StepsChoice } from "../parts.tsx";
import { Arithmetic } from "./Arithmetic.tsx";

const EMPTY = "No operators in this trace. Record with ProfilerTarget.CPU " +
  "(torch: ProfilerActivity.CPU).";
const NO_SHAPES = "No shapes in this trace. Record with record_shapes=True.";

const show = (data: Data, row: number) => void showOnTimeline("operator",
  String(data.cell(row, 0)), { ...cellsOf(data, row), steps: chosenSteps() });
const showShape = (data: Data, row: number) => void showOnTimeline(
  "operator_shapes", String(data.cell(row, 0)),
  { ...cellsOf(data, row, ["shapes"]), steps: chosenSteps() });
const showOfRank = (data: Data, row: number) => void showOnTimeline(
  "operator_ranks", String(data.cell(row, 0)),
  { ...cellsOf(data, row, ["rank"]), steps: chosenSteps() });

function ByName({ doc, tables }: {
  doc: SummaryDoc; tables: DeclaredTable[];
}) {
  const data = useRows(tables, "operator", doc.operator, ["inner", "device"]);
  const device = hasDeviceTime(doc.operator);
  return (
    <Table label="Operators" sql={tableOf("operator")} data={data}
      onShow={show} topK
      look={shareLook("operator")}
      usual={shownColumns(["name", "calls", "cpu.total_ns", "cpu.avg_ns",
        "cpu.max_ns", "self_cpu_ns", "cpu.ratio",
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
          topK sql={viewOf("operator_shapes")}
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

/** What each rank of a job does, where several are open together. */
function ByRank() {
  const load = useFlatTable("operator_ranks");
  const shares = shareLook("operator");
  return (
    <Loaded what="Operators by rank" load={load}>
      {(data) => (
        <Table label="Operators by rank" data={data} onShow={showOfRank} topK
          look={(...cell) => rankLook(...cell) ?? shares(...cell)}
          sql={viewOf("operator_ranks")}
          usual={shownColumns(["name", "rank", "calls", "self_cpu_ns",
            "cpu.total_ns", "cpu.avg_ns", "cpu.ratio", "gpu.total_ns",
            "gpu.avg_ns", "gpu.ratio"], hasDevice(data))}
          usualSort={hasDevice(data) ? "gpu.total_ns" : "self_cpu_ns"}
          empty="No operators in these traces.">
          <Grouping />
        </Table>
      )}
    </Loaded>
  );
}

/** Whether any row has time of a device. */
function hasDevice(data: Data): boolean {
  const at = columnIndex(data, "gpu.total_ns");
  return Array.from({ length: data.count }, (_, row) => data.cell(row, at))
    .some((cell) => Number(cell) > 0);
}

function Grouping() {
  const ranks = hasRanks(trace.value?.info.groups ?? []);
  return (
    <Segments label="Group by" value={route.value.more["by"] ?? ""} options={[
      { value: "", text: "By name" },
      { value: "shape", text: "By name and shapes" },
      ...ranks ? [{ value: "rank", text: "By name and rank" }] : [],
      { value: "flops", text: "Arithmetic" },
    ]} onPick={(value) => setMore("by", value)} />
  );
}

function shownBy(by: string | undefined, doc: SummaryDoc,
  declared: DeclaredTable[]) {
  switch (by) {
    case "shape": return <ByShape doc={doc} />;
    case "rank": return <ByRank />;
    case "flops": return <Arithmetic><Grouping /></Arithmetic>;
    default: return <ByName doc={doc} tables={declared} />;
  }
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
              {(declared) => shownBy(route.value.more["by"], doc, declared)}
            </Loaded>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

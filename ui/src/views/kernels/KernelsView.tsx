// SPDX-License-Identifier: Apache-2.0
//
// Kernels by name, or by name and how they were launched; the share that uses
// tensor cores; launches and copies.
import type {
  DeclaredTable, DeviceUse, SummaryDoc,
} from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { objectsOf, tensorUse } from "../../model/device_use.ts";
import { formatShare } from "../../model/format.ts";
import { deviceTitle } from "../../model/overview.ts";
import { percent } from "../../model/shares.ts";
import { tableOf, viewOf } from "../../model/sql.ts";
import type { Cell, Column, Data } from "../../model/table.ts";
import { chosenSteps, useFlatTable, useRows, useSummary, useTables }
  from "../../state/documents.ts";
import { cellsOf, showOnTimeline } from "../../state/locate.ts";
import { route, setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { shareLook } from "../../table/looks.tsx";
import { Card, Loaded, Page, Segments, StepsChoice } from "../parts.tsx";

const empty = () => trace.value?.info.complete === false
  ? "No kernels in the part of this file that could be read: it is cut off."
  : "No kernels in this trace. Record with ProfilerTarget.GPU " +
    "(torch: ProfilerActivity.CUDA).";

const showOf = (table: string, keys: string[] = []) =>
  (data: Data, row: number) => void showOnTimeline(table,
    String(data.cell(row, 0)),
    { ...cellsOf(data, row, keys), steps: chosenSteps() });
const show = showOf("kernel");
const showLaunch = showOf("kernel_launches",
  ["operator", "grid", "block", "registers", "shared_bytes"]);
const showCopy = showOf("memory_manipulation");

const shares = shareLook("kernel");
function look(cell: Cell, column: Column, data: Data, row: number) {
  if (column.key === "occupancy" && cell === null)
    return <span title="the recorder did not know it">–</span>;
  if (column.key === "tensor_core_estimated")
    return cell ? <span class="chip" title="by its name">TC</span> : "–";
  return shares(cell, column, data, row);
}

function Grouping() {
  return (
    <Segments label="Group by" value={route.value.more["by"] ?? ""} options={[
      { value: "", text: "By name" },
      { value: "launch", text: "By name and attributes" },
      { value: "copies", text: "Copies and sets" },
    ]} onPick={(value) => setMore("by", value)} />
  );
}

function ByName({ doc, tables }: {
  doc: SummaryDoc; tables: DeclaredTable[];
}) {
  const data = useRows(tables, "kernel", doc.kernel);
  return (
    <Table label="Kernels" sql={tableOf("kernel")} data={data}
      onShow={show} look={look} topK
      usual={["name", "calls", "gpu.total_ns", "gpu.avg_ns", "gpu.max_ns",
        "gpu.min_ns", "gpu.ratio", "occupancy", "unfilled",
        "tensor_core_estimated", "counters.tensor_core_ratio",
        "counters.dram_gb_per_s"]}
      usualSort="gpu.total_ns" empty={empty()}><Grouping /></Table>
  );
}

function Copies({ doc, tables }: {
  doc: SummaryDoc; tables: DeclaredTable[];
}) {
  const data = useRows(
    tables, "memory_manipulation", doc.memory_manipulation);
  return (
    <Table label="Copies and sets" sql={tableOf("memory_manipulation")}
      data={data}
      onShow={showCopy}
      look={shareLook("copy")}
      usual={["name", "calls", "cpu.total_ns", "cpu.avg_ns", "cpu.ratio",
        "gpu.total_ns", "gpu.avg_ns", "gpu.max_ns", "gpu.min_ns",
        "gpu.ratio"]}
      usualSort="gpu.total_ns"
      empty="No copies in this trace."><Grouping /></Table>
  );
}

function ByLaunch() {
  const load = useFlatTable("kernel_launches");
  return (
    <Loaded what="Kernels by attributes" load={load}>
      {(data) => (
        <Table label="Kernels by attributes" data={data}
          sql={viewOf("kernel_launches")}
          onShow={showLaunch} look={look} topK
          usual={["name", "operator", "grid", "block", "registers",
            "shared_bytes", "calls", "gpu.total_ns", "gpu.avg_ns",
            "gpu.ratio", "occupancy", "blocks_per_sm"]}
          usualSort="gpu.total_ns" empty={empty()}><Grouping /></Table>
      )}
    </Loaded>
  );
}

function TensorBar({ use, doc }: { use: DeviceUse; doc: SummaryDoc }) {
  const { share, measured, detail } = tensorUse(use, doc.device);
  if (share === null)
    return use.kernel_ns > 0 ? <p class="quiet">{deviceTitle(use.device)}: the
      names of its kernels do not say whether they use tensor cores.</p> : null;
  return (
    <div class="split-bar" title={detail}>
      <span class="quiet">{deviceTitle(use.device)}</span>
      <span class="split" aria-hidden="true">
        <b style={{ width: percent(share) }} />
      </span>
      <span><Swatch hue="kernel" /> {measured
        ? `tensor cores ${formatShare(share)} active, measured`
        : `${formatShare(share)} of kernel time on tensor cores`}</span>
      <span class="quiet">{use.occupancy === null
        ? "occupancy is not stated"
        : `occupancy ${formatShare(use.occupancy)}, known for ` +
          `${formatShare(use.occupancy_known ?? 0)} of kernel time`}</span>
    </div>
  );
}

function TensorShare({ doc }: { doc: SummaryDoc }) {
  const load = useFlatTable("device_use");
  const uses = load.state === "ready"
    ? objectsOf<DeviceUse>(load.value) : [];
  return <>{uses.map((use) =>
    <TensorBar key={use.device} use={use} doc={doc} />)}</>;
}

export default function KernelsView() {
  const summary = useSummary();
  const tables = useTables();
  const by = route.value.more["by"];
  return (
    <Page title="GPU kernels" fill actions={<StepsChoice />}
      detail="Time on the device, over all streams">
      {summary.state === "ready" && <TensorShare doc={summary.value} />}
      <Card class="table-card">
        <Loaded what="Kernels" load={summary}>
          {(doc) => (
            <Loaded what="The columns" load={tables}>
              {(declared) => by === "launch" ? <ByLaunch />
                : by === "copies" ? <Copies doc={doc} tables={declared} />
                  : <ByName doc={doc} tables={declared} />}
            </Loaded>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

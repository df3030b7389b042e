// SPDX-License-Identifier: Apache-2.0
//
// The first rows of kernels and operators, and the user's own ranges.
import type { DeclaredTable, SummaryDoc } from "../../generated/answers.ts";
import { Bar } from "../../charts/charts.tsx";
import { formatCount, formatShare, formatTime } from "../../model/format.ts";
import { valueAt } from "../../model/declared.ts";
import { shortName } from "../../model/names.ts";
import { partOf } from "../../model/shares.ts";
import { tableOf } from "../../model/sql.ts";
import { Prose } from "../../shell/Prose.tsx";
import { useRows } from "../../state/documents.ts";
import { showOnTimeline } from "../../state/locate.ts";
import { navigate } from "../../state/route.ts";
import { Table } from "../../table/Table.tsx";
import { Name } from "../../shell/Name.tsx";
import { Card } from "../parts.tsx";

const SHOWN = 7;
const number = (row: unknown, key: string) =>
  Number(valueAt(row, key) ?? 0);

function AllLink({ view, text }: { view: string; text: string }) {
  return (
    <button class="link" onClick={() => navigate({ view, more: {} }, true)}>
      {text}
    </button>
  );
}

function firstBy(rows: unknown[], key: string): unknown[] {
  return [...rows].sort((a, b) => number(b, key) - number(a, key))
    .slice(0, SHOWN);
}

export function KernelsCard({ doc }: { doc: SummaryDoc }) {
  const rows = firstBy(doc.kernel, "gpu.total_ns");
  const most = number(rows[0], "gpu.total_ns");
  if (rows.length === 0)
    return (
      <Card title="Kernels"><p class="nothing"><Prose text={
        "No kernels in this trace. Record with ProfilerTarget.GPU, or " +
        "ProfilerActivity.CUDA."} /></p></Card>
    );
  return (
    <Card title="Kernels" detail={`by GPU time, ${rows.length} of ` +
      formatCount(doc.kernel.length)}
    actions={<AllLink view="kernels" text="All kernels" />}>
      <table class="plain top">
        <thead><tr>
          <th scope="col">Kernel</th><th><span class="hidden">Bar</span></th>
          <th scope="col" class="num">Total</th>
          <th scope="col" class="num">Share</th>
          <th scope="col" class="num">Calls</th>
          <th scope="col" class="num">Occup.</th>
        </tr></thead>
        <tbody>{rows.map((row, i) => {
          const name = String(valueAt(row, "name"));
          const occupancy = valueAt(row, "occupancy");
          return (
            <tr key={i}>
              <th scope="row" class="mono"><button class="name-link"
                title={name} onClick={() =>
                  void showOnTimeline("kernel", name)}>
                <Name text={name} short={shortName(name)} /></button></th>
              <td><Bar share={partOf(number(row, "gpu.total_ns"), most)}
                colour="kernel" /></td>
              <td class="num">{formatTime(number(row, "gpu.total_ns"))}</td>
              <td class="num quiet">{formatShare(
                number(row, "gpu.ratio"))}</td>
              <td class="num">{formatCount(number(row, "calls"))}</td>
              <td class="num">{valueAt(row, "tensor_core_estimated")
                ? <span class="chip" title="uses tensor cores, by its name">
                  TC</span>
                : typeof occupancy === "number"
                  ? formatShare(occupancy) : "–"}</td>
            </tr>
          );
        })}</tbody>
      </table>
    </Card>
  );
}

export function OperatorsCard({ doc }: { doc: SummaryDoc }) {
  const rows = firstBy(doc.operator, "self_cpu_ns");
  const most = number(rows[0], "self_cpu_ns");
  if (rows.length === 0)
    return (
      <Card title="Operators"><p class="nothing"><Prose text={
        "No operators in this trace. Record with ProfilerTarget.CPU."}
      /></p></Card>
    );
  return (
    <Card title="Operators" detail={`by own CPU time, ${rows.length} of ` +
      formatCount(doc.operator.length)}
    actions={<AllLink view="operators" text="All operators" />}>
      <table class="plain top">
        <thead><tr>
          <th scope="col">Operator</th><th><span class="hidden">Bar</span></th>
          <th scope="col" class="num">Self</th>
          <th scope="col" class="num">GPU</th>
          <th scope="col" class="num">Calls</th>
        </tr></thead>
        <tbody>{rows.map((row, i) => {
          const name = String(valueAt(row, "name"));
          return (
            <tr key={i}>
              <th scope="row" class="mono"><button class="name-link"
                title={name} onClick={() =>
                  void showOnTimeline("operator", name)}>
                <Name text={name} short={shortName(name)} /></button></th>
              <td><Bar share={partOf(number(row, "self_cpu_ns"), most)}
                colour="operator" /></td>
              <td class="num">{formatTime(number(row, "self_cpu_ns"))}</td>
              <td class="num">{formatTime(number(row, "gpu.total_ns"))}</td>
              <td class="num">{formatCount(number(row, "calls"))}</td>
            </tr>
          );
        })}</tbody>
      </table>
    </Card>
  );
}

export function UserCard(
  { doc, tables }: { doc: SummaryDoc; tables: DeclaredTable[] | undefined }) {
  const data = useRows(tables, "user_defined", doc.user_defined);
  return (
    <Card title="Your own ranges" detail="RecordEvent, record_function, NVTX"
      class="user-card">
      <Table label="Your own ranges" data={data} prefix="user."
        sql={tableOf("user_defined")}
        usual={["name", "calls", "cpu.total_ns", "cpu.avg_ns", "cpu.max_ns",
          "cpu.min_ns", "cpu.ratio", "gpu.total_ns", "gpu.avg_ns",
          "gpu.ratio"]}
        usualSort="cpu.total_ns" rows={8}
        empty={"None were recorded. Mark a part of your program with " +
          "RecordEvent(\"name\") to see it here."}
        onShow={(shown, row) => void showOnTimeline("user_defined",
          String(shown.cell(row, 0)))} />
    </Card>
  );
}

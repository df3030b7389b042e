// SPDX-License-Identifier: Apache-2.0
//
// Perf Summary as Paddle prints it, and the ledger.
import type { SummaryDoc } from "../../generated/answers.ts";
import { countOf, formatCount, formatShare, formatTime }
  from "../../model/format.ts";
import { Prose } from "../../shell/Prose.tsx";
import { trace } from "../../state/trace.ts";
import { Card } from "../parts.tsx";
import { Facts } from "./DeviceCard.tsx";

export function PerfCard({ doc }: { doc: SummaryDoc }) {
  const perf = doc.benchmark;
  if (!perf || !perf.batch_cost) return null;
  const times = (cost: { avg_ns: number; max_ns: number; min_ns: number }) =>
    [cost.avg_ns, cost.max_ns, cost.min_ns].map(formatTime);
  const rows: [string, string[]][] = [
    ...(perf.reader_cost
      ? [["Reader cost", times(perf.reader_cost)] as [string, string[]]] : []),
    ["Batch cost", times(perf.batch_cost)],
    ...(perf.ips ? [[`Speed, ${perf.ips.unit}`,
      [perf.ips.avg, perf.ips.max, perf.ips.min].map((value) =>
        value.toPrecision(4))] as [string, string[]]] : []),
  ];
  return (
    <Card title="Perf summary" detail={countOf(perf.steps, "step") +
      (perf.skipped ? `, ${perf.skipped} left out` : "")}>
      <table class="plain">
        <thead><tr><th scope="col"><span class="hidden">Figure</span></th>
          <th scope="col" class="num">Mean</th>
          <th scope="col" class="num">Most</th>
          <th scope="col" class="num">Least</th></tr></thead>
        <tbody>{rows.map(([title, values]) => (
          <tr key={title}><th scope="row">{title}</th>
            {values.map((text, i) => <td key={i} class="num">{text}</td>)}
          </tr>
        ))}</tbody>
      </table>
      {perf.reader_ratio !== null && <p class="note quiet">Reading data takes
        {" "}{formatShare(perf.reader_ratio)} of a batch.</p>}
    </Card>
  );
}

/** `said`: notes that stand elsewhere on the page. */
export function LedgerCard({ doc, said }: {
  doc: SummaryDoc; said: string[];
}) {
  const { ledger } = doc;
  const bins = (title: string, reasons: Record<string, number>) =>
    Object.entries(reasons).map(([reason, count]): [string, string] =>
      [`${title}: ${reason}`, formatCount(count)]);
  return (
    <Card title="Ledger" detail={trace.value?.info.rejected
      ? "not everything could be used" : "nothing was lost"}>
      <Facts facts={[
        ["Records read", formatCount(ledger.seen)],
        ["kept as they are", formatCount(ledger.kept)],
        ...bins("repaired", ledger.repaired),
        ...bins("rejected", ledger.rejected),
        ...(ledger.no_launch ? [["Device work without its launch",
          formatCount(ledger.no_launch)] as [string, string]] : []),
        ...(ledger.outlives_parent
          ? [["Events that end after the event around them",
            formatCount(ledger.outlives_parent)] as [string, string]] : []),
      ]} />
      {doc.notes.filter((note) => !said.includes(note))
        .map((note) => <p key={note} class="note faint">
          <Prose text={note} /></p>)}
    </Card>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// Of an inference server, in place of the steps that it has not: how long
// iterations of each kind take.
import "../../styles/serving.css";
import type { ServingInfo } from "../../generated/answers.ts";
import { Bar } from "../../charts/charts.tsx";
import { ITERATIONS } from "../../generated/looks.ts";
import { cellText } from "../../model/cell.ts";
import { lookOf } from "../../model/palette.ts";
import { kindRows } from "../../model/iteration_kinds.ts";
import { mostOf, partOf } from "../../model/shares.ts";
import { columnIndex } from "../../model/table.ts";
import { navigate, route } from "../../state/route.ts";
import { Card } from "../parts.tsx";
import { KindName, useFlat } from "../serving/KindsCard.tsx";

export function IterationsCard({ info }: { info: ServingInfo }) {
  const data = useFlat(info.kinds);
  const rows = kindRows(info.kinds);
  const device = info.busy_ns > 0;
  const most = mostOf(rows.map((row) => row.period ?? 0));
  const text = (row: number, key: string) => {
    const at = columnIndex(data, key);
    return cellText(data.cell(row, at), data.columns[at]!, "auto");
  };
  return (
    <Card title="Iterations" detail={info.concluded
      ? <span title={info.concluded}>concluded from what ran; times are medians
      </span>
      : `of ${info.engine || "the server"}, by kind; times are medians`}
      actions={
      <button class="link" onClick={() => navigate(
        { ...route.value, view: "serving", more: {} }, true)}>
        Open Serving</button>}>
      <table class="plain iterations">
        <thead><tr><th scope="col">Kind</th>
          <th class="num" scope="col">Count</th>
          <th class="num" scope="col">Start to start</th>
          <th><span class="hidden">Bars</span></th>
          {device && <th class="num" scope="col">GPU busy</th>}
          <th class="num" scope="col">Tokens/s</th></tr></thead>
        <tbody>{rows.map(({ kind, period }, n) => (
          <tr key={kind} data-kind={kind}>
            <th scope="row"><KindName kind={kind} /></th>
            <td class="num">{text(n, "count")}</td>
            <td class="num">{text(n, "period_ns.p50")}</td>
            <td class="lane-wide">{period !== null &&
              <Bar share={partOf(period, most)}
                colour={lookOf(ITERATIONS, kind).hue} />}</td>
            {device && <td class="num">{text(n, "gpu_busy_p50_ns")}</td>}
            <td class="num">{text(n, "tokens_per_s")}</td>
          </tr>
        ))}</tbody>
      </table>
    </Card>
  );
}

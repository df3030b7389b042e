// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of operators whose shapes were recorded, and how fast it was.
import type { SummaryDoc } from "../../generated/answers.ts";
import { valueAt } from "../../model/declared.ts";
import { formatCount, formatTime, formatValue } from "../../model/format.ts";
import { shortName } from "../../model/names.ts";
import { setMore } from "../../state/route.ts";
import { navigate, route } from "../../state/route.ts";
import { Name } from "../../shell/Name.tsx";
import { Card } from "../parts.tsx";

const SHOWN = 6;

export function FlopsCard({ doc }: { doc: SummaryDoc }) {
  const rows = Array.isArray(doc["flops"]) ? doc["flops"] as unknown[] : [];
  if (rows.length === 0) return null;
  return (
    <Card title="Arithmetic" detail="of operators with recorded shapes"
      actions={<button class="link" onClick={() => {
        navigate({ ...route.value, view: "tables", more: {} }, true);
        setMore("table", "flops");
      }}>All {formatCount(rows.length)} →</button>}>
      <table class="plain">
        <thead><tr><th scope="col">Operator</th>
          <th scope="col" class="num">TFLOP/s</th>
          <th scope="col" class="num">Time</th></tr></thead>
        <tbody>{rows.slice(0, SHOWN).map((row) => {
          const name = String(valueAt(row, "name"));
          return (
            <tr key={name}>
              <th scope="row"><Name text={name} short={shortName(name)} /></th>
              <td class="num" data-figure="tflops">
                {formatValue(Number(valueAt(row, "tflops_per_s")))}</td>
              <td class="num quiet" title={valueAt(row, "on_device")
                ? "of device work" : "of the calls themselves"}>
                {formatTime(Number(valueAt(row, "time_ns")))}</td>
            </tr>
          );
        })}</tbody>
      </table>
    </Card>
  );
}

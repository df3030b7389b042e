// SPDX-License-Identifier: Apache-2.0
//
// The rows of a query: a table, bars, or spans on the timeline.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { SqlRows } from "../../generated/answers.ts";
import { Bar } from "../../charts/charts.tsx";
import { cellText } from "../../model/cell.ts";
import { countOf, formatCount } from "../../model/format.ts";
import { mostOf, partOf } from "../../model/shares.ts";
import {
  chartOfRows, dataOfRows, MOST_BARS, spansOfRows,
} from "../../model/sql.ts";
import { isNumeric, type Data } from "../../model/table.ts";
import { navigate, route, setMore } from "../../state/route.ts";
import { addRowTrack, nextRowGroup, type Asked } from "../../state/sql.ts";
import { trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { Segments } from "../parts.tsx";

function Choice({ label, data, value, options, onPick }: {
  label: string;
  data: Data;
  value: number;
  options: number[];
  onPick: (column: number) => void;
}) {
  return (
    <label class="field"><span class="quiet">{label}</span>
      <select aria-label={label} value={String(value)} onChange={(event) =>
        onPick(Number(event.currentTarget.value))}>
        {options.map((at) => (
          <option key={at} value={String(at)}>{data.columns[at]!.title}
          </option>
        ))}
      </select></label>
  );
}

function Chart({ data }: { data: Data }) {
  const all = data.columns.map((_, at) => at);
  const numbers = all.filter((at) => isNumeric(data.columns[at]!));
  const words = all.filter((at) => !isNumeric(data.columns[at]!));
  const label = useSignal(words[0] ?? 0);
  const value = useSignal(numbers.at(-1) ?? 0);
  const bars = chartOfRows(data, label.value, value.value);
  if (numbers.length === 0 || !bars)
    return <p class="nothing">No column of these rows is a number.</p>;
  const most = mostOf(bars.map((bar) => bar.value));
  return (
    <div class="sql-chart">
      <div class="row">
        <Choice label="Label" data={data} value={label.value} options={all}
          onPick={(at) => {
            label.value = at;
          }} />
        <Choice label="Length" data={data} value={value.value}
          options={numbers} onPick={(at) => {
            value.value = at;
          }} />
        {data.count > MOST_BARS && <span class="quiet">the first {MOST_BARS}
          {" "}of {formatCount(data.count)} rows</span>}
      </div>
      <table class="plain">
        <tbody>{bars.map((bar, row) => (
          <tr key={row}>
            <th scope="row" class="mono" title={bar.label}>{bar.label}</th>
            <td class="lane-wide"><Bar colour="kernel"
              share={partOf(bar.value, most)} /></td>
            <td class="num">{cellText(bar.value, data.columns[value.value]!,
              "auto")}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function showTrack(sql: string, rows: SqlRows): void {
  const group = nextRowGroup();
  const spans = spansOfRows(rows, trace.value?.info.origin_ns ?? "0", group);
  if (!spans) return;
  addRowTrack({ group, spans,
    name: /\bFROM\s+([\w.]+)/i.exec(sql)?.[1] ?? "Query" });
  navigate({ view: "trace", more: {} }, true);
}

export function Result({ asked, rows }: { asked: Asked; rows: SqlRows }) {
  const data = useMemo(() => dataOfRows(rows), [rows]);
  const form = route.value.more["as"] === "chart" ? "chart" : "";
  const track = trace.value !== null &&
    spansOfRows({ ...rows, rows: [] }, "0", -1) !== null;
  return (
    <>
      <div class="tabs row">
        <Segments label="Shown as" value={form} options={[
          { value: "", text: "Table" }, { value: "chart", text: "Chart" },
        ]} onPick={(value) => setMore("as", value)} />
        <button class="button" disabled={!track || rows.rows.length === 0}
          title={track ? "Adds these rows to the timeline"
            : !trace.value ? "A dataset has no timeline"
              : "Needs the columns start_ns and dur_ns (or end_ns)"}
          onClick={() => showTrack(asked.sql, rows)}>Show as a track</button>
        <span class="quiet" role="status">
          {rows.more ? `The first ${countOf(rows.rows.length, "row")}; ` +
            "there are more" : countOf(rows.rows.length, "row")}
          {" "}in {formatCount(Math.round(asked.ms))} ms</span>
      </div>
      {form === "chart" ? <Chart data={data} />
        : <Table label="Rows" data={data} prefix="row." usual={[]}
          empty="The query gives no rows." />}
    </>
  );
}

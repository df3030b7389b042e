// SPDX-License-Identifier: Apache-2.0
//
// What stands above a table: own controls, search, how many rows, units,
// columns, copy, CSV.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { csvOf, TIME_UNITS, tsvOf, type TimeUnit } from "../model/cell.ts";
import { countOf, formatCount } from "../model/format.ts";
import { queryOfTable, type SqlSource } from "../model/sql.ts";
import type { Data } from "../model/table.ts";
import type { TableState } from "../model/table_state.ts";
import { useDismiss } from "../shell/dismiss.ts";
import { Icon } from "../shell/icons.tsx";
import { chosenSteps } from "../state/documents.ts";
import { navigate } from "../state/route.ts";
import { saveFile } from "../shell/save_file.ts";
import { toast } from "../shell/Toast.tsx";

interface ToolbarProps {
  label: string;
  data: Data;
  order: Uint32Array;
  columns: number[];
  usual: string[];
  state: TableState;
  change: (part: Partial<TableState>) => void;
  topK: boolean;
  /** Where SQL has these rows. */
  sql: SqlSource | undefined;
  children?: ComponentChildren;
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}.`);
  } catch {
    toast("The browser refused to copy; use CSV instead.");
  }
}

function ColumnPicker({ data, columns, usual, change }: ToolbarProps) {
  const shown = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useDismiss(box, shown.value, () => {
    shown.value = false;
  });
  const pick = (index: number, on: boolean) => {
    const next = new Set(columns);
    if (on) next.add(index);
    else next.delete(index);
    if (next.size === 0) return;
    change({ columns: data.columns.flatMap((column, i) =>
      next.has(i) ? [column.key] : []) });
  };
  return (
    <div class="menu-box" ref={box}>
      <button class="button" aria-expanded={shown.value}
        aria-haspopup="true" onClick={() => {
          shown.value = !shown.value;
        }}>Columns<Icon name="down" /></button>
      {shown.value && (
        <div class="menu" role="group" aria-label="Columns">
          {data.columns.map((column, i) => (
            <label key={column.key} title={column.meaning}>
              <input type="checkbox" checked={columns.includes(i)}
                onChange={(event) => pick(i, event.currentTarget.checked)} />
              <span>{column.title}</span>
              <span class="faint">{column.meaning}</span>
            </label>
          ))}
          <button class="link" onClick={() => change({ columns: [] })}>
            Show the usual {usual.length}
          </button>
        </div>
      )}
    </div>
  );
}

const UNIT_NAMES: Record<TimeUnit, string> =
  { auto: "auto", ns: "ns", us: "µs", ms: "ms", s: "s" };

function TopControl({ state, change }: ToolbarProps) {
  return (
    <label class="top-k">
      <span class="quiet">Show</span>
      <select aria-label="How many rows" value={String(state.top)}
        onChange={(event) => change(
          { top: Number(event.currentTarget.value) })}>
        <option value="0">all</option>
        {[...new Set([5, 10, 20, 50, 100, state.top])].filter(Boolean)
          .sort((a, b) => a - b).map((top) => (
            <option key={top} value={String(top)}>top {top}</option>
          ))}
      </select>
    </label>
  );
}

/** The query that gives the rows. */
function SqlButton({ source, data, columns, state }: ToolbarProps & {
  source: SqlSource;
}) {
  const why = chosenSteps() ? "In SQL this table is of all steps"
    : source.why ?? "";
  return (
    <button class="button" disabled={why !== ""}
      title={why || "The query that gives these rows"}
      onClick={() => navigate({ view: "sql", more: {
        sql: queryOfTable(source, data, columns, state) } }, true)}>
      SQL</button>
  );
}

export function Toolbar(props: ToolbarProps) {
  const { data, order, columns, state, change, label } = props;
  const name = "stepscope_" + label.toLowerCase().replace(/\W+/g, "_");
  const hasTime = data.columns.some((column) => column.type === "time");
  return (
    <div class="toolbar" role="toolbar" aria-label={`${label}: controls`}>
      {props.children}
      <div class="search-box small">
        <Icon name="search" />
        <input type="text" value={state.find} spellcheck={false}
          aria-label={`Search in ${label}`} placeholder="Search, or /regex/"
          onInput={(event) => change({ find: event.currentTarget.value })} />
      </div>
      {props.topK && <TopControl {...props} />}
      <span class="quiet rows-count" role="status">
        {order.length === data.count ? countOf(data.count, "row")
          : `${formatCount(order.length)} of ${countOf(data.count, "row")}`}
      </span>
      <div class="space" />
      {hasTime && (
        <label class="top-k">
          <span class="quiet">Unit</span>
          <select aria-label="Unit of times" value={state.unit}
            onChange={(event) => change(
              { unit: event.currentTarget.value as TimeUnit })}>
            {TIME_UNITS.map((unit) => (
              <option key={unit} value={unit}>{UNIT_NAMES[unit]}</option>
            ))}
          </select>
        </label>
      )}
      <ColumnPicker {...props} />
      {props.sql && <SqlButton {...props} source={props.sql} />}
      <button class="button" title="Copy the shown rows, separated by tabs"
        onClick={() => void copyText(
          tsvOf(data, order, columns, state.unit, true),
          countOf(order.length, "row"))}>
        Copy
      </button>
      <button class="button" title="Save the shown rows; times in ns"
        onClick={() => saveFile(`${name}.csv`, csvOf(data, order, columns),
          "text/csv;charset=utf-8")}>
        CSV
      </button>
    </div>
  );
}

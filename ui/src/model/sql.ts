// SPDX-License-Identifier: Apache-2.0
//
// SQL of the page: the query that gives the rows of a table, and rows of an
// answer as a table, a chart or spans of time. Pure.
import type { SqlRows, StageInfo } from "../generated/answers.ts";
import type { CellType, Column, Data } from "./table.ts";
import type { TableState } from "./table_state.ts";

/** As the tables of `summary` have it in SQL: cpu.total_ns is cpu_total_ns. */
const flat = (key: string) => key.replaceAll(".", "_");
const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
const name = (value: string) => /^[a-z_][a-z0-9_]*$/.test(value) ? value
  : `"${value.replaceAll('"', '""')}"`;

/** Where SQL has the rows of a table: the test TheQueryBesideATableGivesItsRows
 *  compares them. */
export interface SqlSource {
  /** "summary_kernel", "view_operator_shapes" */
  from: string;
  /** The value of a column by which the rows are chosen. */
  where?: [column: string, value: string];
  /** Why SQL does not have the rows just now; "": it has. */
  why?: string;
}

/** Why there is no SQL, and the command that the server says mends it. */
export function remedyOf(why: string): { why: string; command: string } {
  const [said, command = ""] = why.split("; get it with: ");
  return { why: said!, command };
}

export const tableOf = (key: string): SqlSource =>
  ({ from: `summary_${flat(key)}` });
/** Rows inside a row of a table; `inside`: the first column of that row. */
export const rowsOf = (key: string, column: string, inside?: string)
  : SqlSource => ({ from: `summary_${flat(key)}_${flat(column)}`,
  ...inside === undefined ? {} : { where: ["parent", inside] } });
export const viewOf = (key: string): SqlSource => ({ from: `view_${key}` });

/** The query whose rows are those that the table shows. */
export function queryOfTable(source: SqlSource, data: Pick<Data, "columns">,
  columns: readonly number[],
  state: Pick<TableState, "sort" | "descending" | "top" | "find">): string {
  const shown = columns.map((c) => name(flat(data.columns[c]!.key)));
  const texts = data.columns.filter((column) => column.type === "text")
    .map((column) => name(flat(column.key)));
  const find = state.find.trim();
  const pattern = /^\/(.+)\/$/.exec(find)?.[1];
  const fits = (column: string) => pattern !== undefined
    ? `regexp_matches(${column}, ${text(pattern)}, 'i')`
    : `contains(lower(${column}), ${text(find.toLowerCase())})`;
  const sorted = data.columns.some((column) => column.key === state.sort);
  const { where } = source;
  const found = find && texts.length > 0 ? texts.map(fits).join(" OR ") : "";
  const conditions = [
    ...(where ? [`${name(where[0])} = ${text(where[1])}`] : []),
    ...(found ? [where ? `(${found})` : found] : []),
  ];
  return [
    `SELECT ${shown.join(", ")}`,
    `FROM ${source.from}`,
    ...(conditions.length > 0 ? [`WHERE ${conditions.join(" AND ")}`] : []),
    ...(sorted ? [`ORDER BY ${name(flat(state.sort))}` +
      `${state.descending ? " DESC" : ""} NULLS LAST`] : []),
    ...(state.top > 0 ? [`LIMIT ${state.top}`] : []),
  ].join("\n");
}

/** What a column is, by its name: times end in _ns, bytes in _bytes. */
function typeOf(column: string, type: string): CellType {
  if (type === "text" || type === "bool") return type;
  if (/_ns$/.test(column) &&
    !/(^|_)(start|begin|end|epoch|offset|at|arrival)_ns$/.test(column))
    return "time";
  if (/(^|_)bytes$/.test(column)) return "bytes";
  return type === "number" ? "number" : "count";
}

export function dataOfRows({ columns, rows }: SqlRows): Data {
  return {
    // Two columns may have one name: the place tells them apart.
    columns: columns.map((column, at): Column => ({
      key: columns.findIndex((one) => one.name === column.name) === at
        ? column.name : `${column.name}.${at}`,
      title: column.name, type: typeOf(column.name, column.type), unit: "",
      meaning: "" })),
    count: rows.length,
    cell: (row, column) => rows[row]![column] ?? null,
  };
}

interface ChartRow {
  label: string;
  value: number;
}
export const MOST_BARS = 60;

/** A bar per row: a column of words and one of numbers; null: there is none. */
export function chartOfRows(data: Data, labels: number, values: number)
  : ChartRow[] | null {
  if (!data.columns[labels] || !data.columns[values]) return null;
  return Array.from({ length: Math.min(data.count, MOST_BARS) }, (_, row) => ({
    label: String(data.cell(row, labels) ?? ""),
    value: Number(data.cell(row, values) ?? 0),
  })).filter(({ value }) => Number.isFinite(value));
}

/** Columns of times, as traces and their views name them. */
const STARTS = ["start_ns", "raw_start_ns", "begin_ns", "ts_ns"];

/**
 * Rows with a start and a duration as spans of a track; null where there are
 * no such columns. Exact: times beyond what a number holds come as text.
 */
export function spansOfRows({ columns, rows }: SqlRows, originNs: string,
  group: number): StageInfo[] | null {
  const at = (names: string[]) => columns.findIndex((column) =>
    names.includes(column.name));
  const [start, dur, end] = [at(STARTS), at(["dur_ns", "duration_ns"]),
    at(["end_ns"])];
  if (start < 0 || dur < 0 && end < 0) return null;
  const label = columns.findIndex((column) => column.type === "text");
  const origin = BigInt(originNs);
  const whole = (cell: unknown) =>
    typeof cell === "number" || typeof cell === "string"
      ? BigInt(typeof cell === "number" ? Math.round(cell) : cell) : null;
  return rows.flatMap((row): StageInfo[] => {
    const begins = whole(row[start]);
    const other = whole(row[dur >= 0 ? dur : end]);
    if (begins === null || other === null) return [];
    const from = Number(begins - origin);
    const to = dur >= 0 ? from + Number(other) : Number(other - origin);
    return [{ name: label < 0 ? "" : String(row[label] ?? ""), start: from,
      end: to, dur: to - from, group, inferred: false }];
  });
}

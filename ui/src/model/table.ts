// SPDX-License-Identifier: Apache-2.0
//
// A table as the page sees it: declared columns and cells by row and column.
// Order and filter are lists of row numbers; the rows themselves stay. Pure.
import type { Cell } from "../generated/answers.ts";

export type CellType =
  | "time" | "count" | "bytes" | "ratio" | "number" | "text" | "bool";
export type { Cell };

export interface Column {
  key: string;
  title: string;
  type: CellType;
  unit: string;
  /** One line, shown on hover. */
  meaning: string;
}

export interface Data {
  columns: Column[];
  count: number;
  cell(row: number, column: number): Cell;
  /** The name of the row that these rows are inside of. */
  within?: string;
  /** Numbers about all rows, as the server states them. */
  facts?: Record<string, number>;
  /** Rows inside a row, with the same columns; null: none. */
  inner?(row: number): Data | null;
}

export function columnIndex(data: Data, key: string): number {
  return data.columns.findIndex((column) => column.key === key);
}

/** Whether a row has a value in the column, and there is one. */
export function hasValue(data: Data, key: string): boolean {
  const at = columnIndex(data, key);
  for (let row = 0; at >= 0 && row < data.count; row++)
    if (data.cell(row, at) !== null) return true;
  return false;
}

/** Whether columns of hardware counters stand empty: few traces have any. */
export function isWithoutCounters(data: Data, at: number): boolean {
  const { key } = data.columns[at]!;
  return key.startsWith("counters.") && !hasValue(data, key);
}

export function isNumeric(column: Column): boolean {
  return column.type !== "text" && column.type !== "bool";
}

/** A search of the form /a regex/: what is between; null: plain text. */
const patternOf = (query: string) =>
  /^\/(.+)\/$/.exec(query.trim())?.[1] ?? null;

/** Whether a search has the form /a regex/, but is none. */
export function isBadPattern(query: string): boolean {
  try {
    new RegExp(patternOf(query) ?? "");
    return false;
  } catch {
    return true;
  }
}

function matcher(query: string): ((text: string) => boolean) | null {
  const text = query.trim();
  if (!text) return null;
  if (isBadPattern(text)) return () => false;
  const pattern = patternOf(text);
  if (pattern !== null) {
    const regex = new RegExp(pattern, "i");
    return (name) => regex.test(name);
  }
  const wanted = text.toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}

/** Rows of which any text holds `query`, or fits it where it is /a regex/. */
export function filterRows(data: Data, query: string): Uint32Array {
  const fits = matcher(query);
  const rows = new Uint32Array(data.count);
  if (!fits) return rows.map((_, i) => i);
  const texts = data.columns.flatMap((column, i) =>
    column.type === "text" ? [i] : []);
  let count = 0;
  for (let row = 0; row < data.count; row++) {
    if (texts.some((c) => fits(String(data.cell(row, c) ?? ""))))
      rows[count++] = row;
  }
  return rows.slice(0, count);
}

// Doubles whose bits, as one unsigned number, stand in the order of the values.
function sortKeys(values: Float64Array, descending: boolean): Uint32Array {
  const words = new Uint32Array(values.buffer);
  for (let i = 0; i < words.length; i += 2) {
    const negative = words[i + 1]! >>> 31;
    words[i] = (negative ? ~words[i]! : words[i]!) >>> 0;
    words[i + 1] = (negative ? ~words[i + 1]! : words[i + 1]! ^ 0x80000000)
      >>> 0;
    if (descending) {
      words[i] = ~words[i]! >>> 0;
      words[i + 1] = ~words[i + 1]! >>> 0;
    }
  }
  return words;
}

/** Radix sort by 16 bits at a time: stable, and linear in the rows. */
function orderByNumber(
  values: Float64Array, descending: boolean): Uint32Array {
  const words = sortKeys(values, descending);
  const count = values.length;
  let from = new Uint32Array(count).map((_, i) => i);
  let to = new Uint32Array(count);
  const starts = new Uint32Array(65537);
  for (let pass = 0; pass < 4; pass++) {
    const word = pass >> 1;
    const shift = (pass & 1) * 16;
    starts.fill(0);
    for (let i = 0; i < count; i++)
      starts[((words[2 * i + word]! >>> shift) & 0xffff) + 1]!++;
    for (let i = 0; i < 65536; i++) starts[i + 1]! += starts[i]!;
    for (const at of from) {
      const key = (words[2 * at + word]! >>> shift) & 0xffff;
      to[starts[key]!++] = at;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** `rows` in the order of a column; what has no value comes last. */
export function sortRows(
  data: Data, rows: Uint32Array, column: number,
  descending: boolean): Uint32Array {
  const declared = data.columns[column];
  if (!declared) return rows;
  if (declared.type === "text") {
    const order = Array.from(rows, (row) =>
      ({ row, text: String(data.cell(row, column) ?? "") }));
    order.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
      * (descending ? -1 : 1));
    return Uint32Array.from(order, (one) => one.row);
  }
  const values = new Float64Array(rows.length);
  const last = descending ? -Infinity : Infinity;
  rows.forEach((row, i) => {
    const cell = data.cell(row, column);
    values[i] = cell === null ? last : Number(cell) + 0;
  });
  return orderByNumber(values, descending).map((i) => rows[i]!);
}

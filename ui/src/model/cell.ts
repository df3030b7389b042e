// SPDX-License-Identifier: Apache-2.0
//
// Cells as text: on screen, in the clipboard, in CSV. Pure.
import { PART_COLUMNS, PARTS } from "../generated/looks.ts";
import { formatBytes, formatCount, formatShare, formatTime } from "./format.ts";
import { lookOf } from "./palette.ts";
import type { Cell, Column, Data } from "./table.ts";

export type TimeUnit = "auto" | "ns" | "us" | "ms" | "s";
export const TIME_UNITS: TimeUnit[] = ["auto", "ns", "us", "ms", "s"];
const NS: Record<TimeUnit, number> =
  { auto: 1, ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const UNIT_TEXT: Record<TimeUnit, string> =
  { auto: "", ns: "ns", us: "µs", ms: "ms", s: "s" };

export function parseUnit(text: string | undefined): TimeUnit {
  return TIME_UNITS.find((unit) => unit === text) ?? "auto";
}

const grouped = (whole: string) =>
  whole.replace(/\B(?=(\d{3})+$)/g, ",");

/** A time in a given unit; never rounds something to nothing. */
export function timeIn(ns: number, unit: TimeUnit): string {
  if (unit === "auto") return formatTime(ns);
  const value = ns / NS[unit];
  if (unit === "ns") return grouped(String(Math.round(value)));
  const size = Math.abs(value);
  const after = size === 0 || size >= 100 ? 2
    : Math.min(9, Math.max(2, 2 - Math.floor(Math.log10(size))));
  const [whole, rest] = value.toFixed(after).split(".");
  return grouped(whole!) + "." + rest;
}

export const UNKNOWN = "–";

/** What a device was idle for needs no word of the device; and ranks that have
 *  none are in the same column. */
function partOf(part: string, column: Column): string {
  const { title, alone } = lookOf(PARTS, part);
  return column.key === "idle_cause" ? alone ?? title : title;
}

export function cellText(cell: Cell, column: Column, unit: TimeUnit): string {
  if (cell === null || cell === "") return UNKNOWN;
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "string")
    return PART_COLUMNS.includes(column.key) ? partOf(cell, column) : cell;
  switch (column.type) {
    case "time": return timeIn(cell, unit);
    case "bytes": return formatBytes(cell);
    case "ratio": return formatShare(cell);
    case "count": return Number.isInteger(cell) ? grouped(String(cell))
      : String(cell);
    default: {
      if (Number.isInteger(cell)) return formatCount(cell);
      const text = Number(cell.toPrecision(4)).toString();
      const point = text.search(/[.e]|$/);
      return grouped(text.slice(0, point)) + text.slice(point);
    }
  }
}

/** "CPU total, ms"; automatic units stand in the cells. */
export function headText(column: Column, unit: TimeUnit): string {
  if (column.type === "time" && unit !== "auto")
    return `${column.title}, ${UNIT_TEXT[unit]}`;
  return column.unit && column.type === "number" &&
    column.unit !== column.title
    ? `${column.title}, ${column.unit}` : column.title;
}

// A cell that begins so is run as a formula by spreadsheets.
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = FORMULA.test(cell) ? "'" + cell : cell;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Values as the server gave them, named as in CSV of `summary`. */
export function csvOf(
  data: Data, rows: Uint32Array, columns: number[]): string {
  const lines = [columns.map((c) =>
    csvCell(data.columns[c]!.key.replaceAll(".", "_"))).join(",")];
  for (const row of rows)
    lines.push(columns.map((c) => csvCell(data.cell(row, c))).join(","));
  return lines.join("\n") + "\n";
}

/** As shown, separated by tabs, for a sheet or a chat. */
export function tsvOf(data: Data, rows: Iterable<number>, columns: number[],
  unit: TimeUnit, head: boolean): string {
  const clean = (text: string) => text.replace(/[\t\n\r]+/g, " ");
  const lines = head ? [columns.map((c) =>
    headText(data.columns[c]!, unit)).join("\t")] : [];
  for (const row of rows)
    lines.push(columns.map((c) => clean(
      cellText(data.cell(row, c), data.columns[c]!, unit))).join("\t"));
  return lines.join("\n");
}

// SPDX-License-Identifier: Apache-2.0
//
// How a table is looked at, as it stands in the address: sort, search, columns,
// unit, how many. Several tables of a page are told apart by a prefix. Pure.
import { parseUnit, type TimeUnit } from "./cell.ts";
import { LEAST_WIDTH } from "./widths.ts";

export interface TableState {
  sort: string;
  descending: boolean;
  find: string;
  /** Keys of the shown columns; empty: the usual ones. */
  columns: string[];
  unit: TimeUnit;
  /** Only the first of them; 0: all. */
  top: number;
  /** Widths that a reader gave to columns, in pixels, by key. */
  widths: Record<string, number>;
}

type More = Record<string, string>;

/** "name:300,calls:80"; what is wrong in it is left out. */
function parseWidths(text: string | undefined): Record<string, number> {
  return Object.fromEntries((text ?? "").split(",")
    .map((part) => /^([^:]+):(\d{2,4})$/.exec(part))
    .filter((match) => match !== null)
    .map((match) => [match[1]!, Math.max(LEAST_WIDTH, Number(match[2]))]));
}
const formatWidths = (widths: Record<string, number>) =>
  Object.entries(widths).map(([key, width]) => `${key}:${Math.round(width)}`)
    .join(",");

export function readState(
  more: More, prefix: string, usual: Partial<TableState> = {}): TableState {
  const at = (key: string) => more[prefix + key];
  const sort = at("sort");
  const top = Number(at("top") ?? usual.top ?? 0);
  return {
    sort: sort?.replace(/^-/, "") ?? usual.sort ?? "",
    descending: sort ? sort.startsWith("-") : usual.descending ?? true,
    find: at("find") ?? "",
    columns: at("cols")?.split(",").filter(Boolean) ?? [],
    unit: parseUnit(at("unit") ?? more["unit"]),
    top: Number.isInteger(top) && top > 0 ? top : 0,
    widths: parseWidths(at("wide")),
  };
}

/** The settings to write for a change; "" removes one. */
export function writeState(
  prefix: string, change: Partial<TableState>): More {
  const more: More = {};
  if (change.sort !== undefined)
    more[prefix + "sort"] = (change.descending ? "-" : "") + change.sort;
  if (change.find !== undefined) more[prefix + "find"] = change.find;
  if (change.columns !== undefined)
    more[prefix + "cols"] = change.columns.join(",");
  if (change.unit !== undefined)
    more["unit"] = change.unit === "auto" ? "" : change.unit;
  if (change.top !== undefined)
    more[prefix + "top"] = change.top ? String(change.top) : "";
  if (change.widths !== undefined)
    more[prefix + "wide"] = formatWidths(change.widths);
  return more;
}

export function applied(more: More, change: More): More {
  const next = { ...more, ...change };
  for (const key of Object.keys(next)) if (next[key] === "") delete next[key];
  return next;
}

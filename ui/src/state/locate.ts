// SPDX-License-Identifier: Apache-2.0
//
// "Show on timeline": from a row of a table to an event of the trace.
import { toast } from "../shell/Toast.tsx";
import type { Params } from "../api/client.ts";
import { columnIndex, type Data } from "../model/table.ts";
import { api } from "./api.ts";
import { errorText } from "./load.ts";
import { navigate, stillHere } from "./route.ts";
import { trace } from "./trace.ts";

/** A range with room on both sides, inside the trace. */
export function rangeAround(start: number, dur: number, span: number)
  : { from: number; to: number } {
  const room = Math.max(dur, 1000) * 1.5;
  return {
    from: Math.max(0, start - room),
    to: Math.min(Math.max(span, start + dur), start + dur + room),
  };
}

export function showRange(start: number, end: number): void {
  const span = trace.value?.info.span_ns ?? end;
  const room = (end - start) * 0.03;
  navigate({ view: "trace", more: {}, row: null,
    from: Math.max(0, start - room), to: Math.min(span, end + room) }, true);
}

/** Cells of a row that tell it apart from others of the same name. */
export type Cells = Record<string, string | number | null | undefined>;

/** Of a row: the cells of these columns, and what the row is inside of. */
export function cellsOf(data: Data, row: number, keys: string[] = []): Cells {
  const cells: Cells = { inside: data.within };
  for (const key of keys) {
    const cell = data.cell(row, columnIndex(data, key));
    if (typeof cell !== "boolean") cells[key] = cell;
  }
  return cells;
}

export async function showOnTimeline(
  table: string, name: string, cells: Cells = {}): Promise<void> {
  const open = trace.value;
  if (!open) return;
  const params: Params = { t: open.t, table, name };
  for (const [key, value] of Object.entries(cells))
    if (value !== null && value !== undefined) params[key] = value;
  const isWanted = stillHere();
  try {
    const found = await api.get("locate", params);
    if (isWanted()) navigate({
      view: "trace", row: found.row, more: {},
      ...rangeAround(found.start, found.dur, open.info.span_ns),
    }, true);
  } catch (error) {
    if (isWanted()) toast(`It cannot be shown: ${errorText(error)}`);
  }
}

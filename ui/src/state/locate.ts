// SPDX-License-Identifier: Apache-2.0
//
// "Show on timeline": from a row of a table to an event of the trace.
import { toast } from "../shell/Toast.tsx";
import { api } from "./api.ts";
import { errorText } from "./load.ts";
import { navigate } from "./route.ts";
import { trace } from "./trace.ts";

interface Located {
  row: number | null;
  start: number;
  dur: number;
}

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

export async function showOnTimeline(
  table: string, name: string): Promise<void> {
  const open = trace.value;
  if (!open) return;
  try {
    const found = await api.get<Located>(
      "locate", { t: open.t, table, name });
    if (found.row === null || found.row === undefined) {
      toast("No event of this name is on the timeline.");
      return;
    }
    navigate({
      view: "trace", row: found.row, more: {},
      ...rangeAround(found.start, found.dur, open.info.span_ns),
    }, true);
  } catch (error) {
    toast(`It cannot be shown: ${errorText(error)}`);
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// Search of event names: the server counts and finds, the page goes there.
import { signal } from "@preact/signals";
import type { FoundInfo } from "../api/types.ts";
import { api } from "./api.ts";
import { errorText } from "./load.ts";
import { navigate, route } from "./route.ts";
import { traceId } from "./trace.ts";

export type Direction = "next" | "previous";
export interface Found {
  query: string;
  count: number;
  names: number;
  index: number;
  error: string;
}
export const found = signal<Found | null>(null);

/** What a view does with a match; the timeline sets it while it shows. */
let show: ((event: FoundInfo) => void) | null = null;
let waiting: FoundInfo | null = null;
export function onFound(handler: typeof show): void {
  show = handler;
  if (handler && waiting) handler(waiting);
  waiting = null;
}

let current = new AbortController();

export async function submitSearch(
  text: string, direction: Direction = "next"): Promise<void> {
  const query = text.trim();
  if (!query) return clearSearch();
  if (!traceId.value) return;
  current.abort();
  current = new AbortController();
  const { signal: stop } = current;
  // A new text is searched from the left of the view, the same one from the
  // selected match.
  const again = found.value?.query === query && route.value.row !== null;
  navigate({ query, view: "trace" }, route.value.view !== "trace");
  try {
    const answer = await api.get<FoundInfo>("find", {
      t: traceId.value, q: query, dir: direction,
      ...(again ? { row: route.value.row } : { from: route.value.from ?? 0 }),
    }, stop);
    found.value = {
      query, count: answer.count, names: answer.names,
      index: answer.count ? answer.index : 0, error: "",
    };
    if (answer.count === 0) return;
    if (show) show(answer);
    else waiting = answer;
  } catch (error) {
    if (stop.aborted) return;
    found.value =
      { query, count: 0, names: 0, index: 0, error: errorText(error) };
  }
}

export function clearSearch(): void {
  current.abort();
  found.value = null;
  navigate({ query: "" });
}

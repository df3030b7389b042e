// SPDX-License-Identifier: Apache-2.0
//
// Search of event names: the server counts and finds, the page goes there.
import { computed, signal } from "@preact/signals";
import type { FoundInfo } from "../generated/answers.ts";
import { api } from "./api.ts";
import { errorText } from "./load.ts";
import { navigate, route, stillHere } from "./route.ts";
import { traceId } from "./trace.ts";

type Direction = "next" | "previous";
export interface Found {
  /** The trace that was searched. */
  t: string;
  query: string;
  count: number;
  names: number;
  index: number;
  error: string;
}
const last = signal<Found | null>(null);
/** What is known of the search, in the trace that is shown. */
export const found = computed(() =>
  last.value?.t === traceId.value ? last.value : null);

/** What a view does with a match; the timeline sets it while it shows. */
let show: ((event: FoundInfo) => Promise<void>) | null = null;
/** A match that came before the timeline was there. */
let waiting: { match: FoundInfo; isWanted: () => boolean } | null = null;
export function onFound(handler: typeof show): void {
  show = handler;
  if (handler && waiting?.isWanted()) void goTo(waiting.match);
  waiting = null;
}

/** The match that is about to be selected: the next search goes on there. */
let arriving: number | null = null;
async function goTo(match: FoundInfo): Promise<void> {
  arriving = match.row;
  await show?.(match);
  if (arriving === match.row) arriving = null;
}

let current = new AbortController();

export async function submitSearch(
  text: string, direction: Direction = "next"): Promise<void> {
  const query = text.trim();
  if (!query) return clearSearch();
  const t = traceId.value;
  if (!t) return;
  current.abort();
  current = new AbortController();
  const { signal: stop } = current;
  // A new text is searched from the left of the view, the same one from the
  // selected match.
  const row = arriving ?? route.value.row;
  const again = found.value?.query === query && row !== null;
  navigate({ query, view: "trace" }, route.value.view !== "trace");
  const isWanted = stillHere();
  try {
    const answer = await api.get("find", {
      t, q: query, dir: direction,
      ...(again ? { row } : { from: route.value.from ?? 0 }),
    }, stop);
    const goes = isWanted() && answer.count > 0;
    if (route.value.query !== query) return;
    last.value = {
      t, query, count: answer.count, names: answer.names,
      index: answer.count ? answer.index : 0, error: "",
    };
    if (!goes || t !== traceId.value) return;
    if (show) void goTo(answer);
    else waiting = { match: answer, isWanted };
  } catch (error) {
    if (stop.aborted || !isWanted()) return;
    last.value =
      { t, query, count: 0, names: 0, index: 0, error: errorText(error) };
  }
}

/** The address names another search; one that goes on may be that. */
export function forgetFound(): void {
  last.value = null;
}

export function clearSearch(): void {
  current.abort();
  forgetFound();
  navigate({ query: "" });
}

// SPDX-License-Identifier: Apache-2.0
//
// Which request or iteration of a server is looked at, as the address says it;
// the view and the timeline share that.
import { computed } from "@preact/signals";
import { chosenOf, withChosen, type Chosen } from "../model/serving.ts";
import { rangeAround } from "./locate.ts";
import { navigate, route } from "./route.ts";
import { trace } from "./trace.ts";

const NOTHING: Chosen = { request: null, iteration: null };

const chosenKey = computed(() =>
  JSON.stringify(chosenOf(route.value.more, trace.value?.info.iterations)));
/** By its text: the address changes with every zoom, too. */
export const chosen = computed(() =>
  JSON.parse(chosenKey.value) as Chosen);

/** `keep`: as a step that a person would go back over. */
export function choose(next: Partial<Chosen>, keep = true): void {
  navigate({ more: withChosen(route.value.more, { ...NOTHING, ...next }) },
    keep);
}

/** From the timeline, or from another view, to its row. */
export function showServing(next: Partial<Chosen>): void {
  navigate({ view: "serving", row: null, from: null, to: null,
    more: withChosen({}, { ...NOTHING, ...next }) }, true);
}

/** To the timeline, where what the device did for it stands out. */
export function showWorkOf(next: Partial<Chosen>, start: number,
  end: number): void {
  const span = trace.value?.info.span_ns ?? end;
  const { from, to } = rangeAround(start, end - start, span);
  navigate({ view: "trace", row: null,
    more: withChosen({}, { ...NOTHING, ...next }),
    from, to }, true);
}

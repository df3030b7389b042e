// SPDX-License-Identifier: Apache-2.0
//
// Whether the shown trace is of an inference server, and which request or
// iteration is looked at, as the address says it; the view and the timeline
// share that.
import { computed, effect, signal } from "@preact/signals";
import type { ServesInfo } from "../generated/answers.ts";
import { chosenOf, withChosen, type Chosen } from "../model/serving.ts";
import { api } from "./api.ts";
import { rangeAround } from "./locate.ts";
import { navigate, route } from "./route.ts";
import { trace } from "./trace.ts";

/** Null: it has neither iterations nor requests; undefined: not known yet. */
export const serves = signal<ServesInfo | null | undefined>(undefined);

/** Asked beside the timeline: of a million marks the answer takes seconds. */
export function startServing(): void {
  effect(() => {
    const open = trace.value;
    serves.value = open && !open.info.serves ? null : undefined;
    if (!open?.info.serves) return undefined;
    const stop = new AbortController();
    api.get("serves", { t: open.t }, stop.signal).then((answer) => {
      serves.value = answer.count > 0 || answer.requests > 0 ? answer : null;
    }, () => {
      if (!stop.signal.aborted) serves.value = null;
    });
    return () => stop.abort();
  });
}

const NOTHING: Chosen = { request: null, iteration: null };

const chosenKey = computed(() =>
  JSON.stringify(chosenOf(route.value.more, serves.value)));
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

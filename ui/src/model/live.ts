// SPDX-License-Identifier: Apache-2.0
//
// Where the bars and lines of a recording stand. Pure.
import type { LiveCounter, LiveStep } from "../generated/answers.ts";
import { mostOf, partOf } from "./shares.ts";

/** Steps with how high they stand, the longest being 1. */
export function barsOf(steps: LiveStep[])
  : { step: LiveStep; height: number }[] {
  const most = mostOf(steps.map((step) => step.dur));
  return steps.map((step) => ({ step, height: partOf(step.dur, most) }));
}

/** The last step that has ended; null: none has. */
export const lastWhole = (steps: LiveStep[]): LiveStep | null =>
  steps.findLast((step) => !step.open) ?? null;

/** A line through the last values, in a box of 100 by 20. */
export function pathOf({ t, values, min, max }: LiveCounter): string {
  const [from, to] = [t[0] ?? 0, t.at(-1) ?? 0];
  const span = (max ?? 0) - (min ?? 0);
  let path = "";
  values.forEach((value, n) => {
    if (value === null) return;
    const x = to > from ? partOf(t[n]! - from, to - from) * 100 : 0;
    const y = span > 0 ? 19 - partOf(value - (min ?? 0), span) * 18 : 10;
    path += path ? `H${x}V${y}` : `M${x} ${y}`;
  });
  return path && path + "H100";
}

// SPDX-License-Identifier: Apache-2.0
//
// Steps on a line: where each stands and how much of its name has room. Pure.
import type { StepInfo } from "../generated/answers.ts";
import { timeToX, type Range } from "./axis.ts";
import { SpanIndex } from "./spans.ts";

interface StepLabel {
  step: StepInfo;
  x: number;
  width: number;
  text: "long" | "short" | "";
}
const LONG = 104;
const SHORT = 46;
/** Steps narrower than this are not drawn one by one. */
const LEAST = 7;

/** Of several workers, the first one's: their steps are nearly the same. */
function firstSteps(steps: StepInfo[]): StepInfo[] {
  const first = steps[0]?.group;
  return steps.filter((step) => step.group === first);
}

/** Steps as they are searched with every frame. */
export type StepIndex = SpanIndex<StepInfo>;
export const indexSteps = (steps: StepInfo[]): StepIndex =>
  new SpanIndex(firstSteps(steps), (step) => step);

export function stepLabels(steps: StepInfo[], range: Range, width: number)
  : StepLabel[] {
  return firstSteps(steps).map((step) => {
    const x = timeToX(range, width, step.start);
    const wide = timeToX(range, width, step.end) - x;
    const text = wide >= LONG ? "long" as const
      : wide >= SHORT ? "short" as const : "" as const;
    return { step, x, width: wide, text };
  }).filter((label) => label.width >= LEAST);
}

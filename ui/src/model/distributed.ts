// SPDX-License-Identifier: Apache-2.0
//
// Of the workers of a job: the steps to choose from, and the colours of the
// table overlap_parts, whose parts stand beside each other and add up to the
// step. Pure.
export interface OverlapPart {
  part: string;
  time_ns: number;
  ratio: number;
}

const COLOURS: Record<string, string> = {
  "computes only": "kernel", "both at once": "user",
  "communicates only": "communication",
};
export function overlapColour(part: string): string {
  return COLOURS[part] ?? "unexplained";
}

/** All steps of a trace, each once: several of its processes have them. */
export function stepNumbers(steps: { index: number }[]): number[] {
  return [...new Set(steps.map((step) => step.index))].sort((a, b) => a - b);
}

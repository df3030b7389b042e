// SPDX-License-Identifier: Apache-2.0
//
// Of the workers of a job: the steps to choose from, and rows of the table
// overlap_parts, which stand beside each other and add up to the step. Pure.
export interface OverlapPart {
  part: string;
  time_ns: number;
  ratio: number;
}

/** All steps of a trace, each once: several of its processes have them. */
export function stepNumbers(steps: { index: number }[]): number[] {
  return [...new Set(steps.map((step) => step.index))].sort((a, b) => a - b);
}

// SPDX-License-Identifier: Apache-2.0
//
// Of the workers of a job: the steps to choose from. Pure.

/** All steps of a trace, each once: several of its processes have them. */
export function stepNumbers(steps: { index: number }[]): number[] {
  return [...new Set(steps.map((step) => step.index))].sort((a, b) => a - b);
}

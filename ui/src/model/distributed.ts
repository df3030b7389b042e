// SPDX-License-Identifier: Apache-2.0
//
// Colours of the table overlap_parts, whose parts stand beside each other and
// add up to the step. Pure.
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

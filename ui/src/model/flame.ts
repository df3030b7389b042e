// SPDX-License-Identifier: Apache-2.0
//
// Where the boxes of a flame graph stand. Pure.
import type { FlameBox } from "../generated/answers.ts";

/** Narrower boxes are left out, as a share of the width. */
const LEAST = 0.0015;

interface Placed {
  box: FlameBox;
  /** Shares of the width. */
  left: number;
  width: number;
}

/** Boxes that are seen when `wide` from `from` on fills the width. */
export function placeFlame(boxes: FlameBox[], from: number, wide: number)
  : Placed[] {
  const within = (at: number) => Math.min(1, Math.max(0, (at - from) / wide));
  return boxes.map((box) => {
    const left = within(box.x);
    return { box, left, width: within(box.x + box.w) - left };
  }).filter(({ width }) => width >= LEAST);
}

export const matches = (name: string, query: string) =>
  name.toLowerCase().includes(query.trim().toLowerCase());

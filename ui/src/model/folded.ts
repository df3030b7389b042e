// SPDX-License-Identifier: Apache-2.0
//
// An event of all steps, laid over each other, as a box with a band. Pure.
interface FoldedBox {
  x: number;
  w: number;
  bandX: number;
  bandW: number;
}

const clip = (value: number) => Math.min(1, Math.max(0, value));

/** Shares of `step`: the middle as a box, earliest to latest as band. */
export function foldedBox(p5: number, p50: number, p95: number,
  dur50: number, dur95: number, step: number): FoldedBox {
  const whole = Math.max(1, step);
  const x = clip(p50 / whole);
  const bandX = clip(p5 / whole);
  const end = clip((p95 + dur95) / whole);
  return {
    x, w: Math.max(0.002, clip((p50 + dur50) / whole) - x),
    bandX, bandW: Math.max(0.002, end - bandX),
  };
}

// SPDX-License-Identifier: Apache-2.0
//
// Lengths of bars. Geometry: the figures beside a bar are the server's. Pure.

/** How much of `whole` a bar is long: 0 to 1. */
export function partOf(value: number, whole: number): number {
  return whole > 0 ? Math.max(0, Math.min(1, value / whole)) : 0;
}

/** A share of the room, for a style sheet: 0.25 → "25%". */
export function percent(share: number): string {
  return `${share * 100}%`;
}

/** The largest, and never 0: what bars are measured by. */
export function mostOf(values: number[]): number {
  return values.reduce((most, one) => Math.max(most, one), 1);
}

// SPDX-License-Identifier: Apache-2.0

/** Which bin of a histogram a value is in, or -1. */
export function binOf(edges: number[], value: number): number {
  for (let n = 0; n + 1 < edges.length; n++) {
    const last = n + 2 === edges.length;
    if (value >= edges[n]! && (value < edges[n + 1]! ||
      (last && value <= edges[n + 1]!))) return n;
  }
  return -1;
}

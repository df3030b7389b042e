// SPDX-License-Identifier: Apache-2.0
//
// Names where there is little room. The server shortens them and says so when a
// trace is opened (base/name_display.h); details show the full one. Pure, but
// for what was learned.
const shorts = new Map<string, string>();

export function learnShort(names: Record<string, string> = {}): void {
  for (const [full, short] of Object.entries(names)) shorts.set(full, short);
}

export const shortName = (full: string): string => shorts.get(full) ?? full;

/** How much of the end of a name is always seen. */
const TAIL = 10;

/**
 * A name in two: what may be cut, and its end. Names of one family differ at
 * their ends ("…_backward_input", "…_backward_weight"). Pairs of surrogates
 * stay together.
 */
export function headAndTail(name: string): [head: string, tail: string] {
  const letters = [...name];
  if (letters.length < 2 * TAIL) return [name, ""];
  return [letters.slice(0, -TAIL).join(""), letters.slice(-TAIL).join("")];
}

/** A name of at most so many letters; its end stays. */
export function clipName(name: string, most: number): string {
  if (name.length <= most) return name;
  const letters = [...name];
  if (letters.length <= most) return name;
  return letters.slice(0, most - TAIL - 1).join("") + "…" +
    letters.slice(-TAIL).join("");
}

/** In a tooltip: at most four lines. */
export const tooltipName = (name: string) => clipName(name, 200);

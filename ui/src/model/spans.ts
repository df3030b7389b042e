// SPDX-License-Identifier: Apache-2.0
//
// Stretches of time that are searched with every frame: steps, stages, parts
// of the critical path. They may overlap. Pure.
import type { Range } from "./axis.ts";

interface Stretch {
  start: number;
  end: number;
}

export class SpanIndex<T> {
  private readonly items: T[];
  private readonly starts: Float64Array;
  private readonly ends: Float64Array;
  /** The latest end so far: it never falls, so it can be searched. */
  private readonly latest: Float64Array;

  constructor(items: readonly T[], stretchOf: (item: T) => Stretch) {
    const all = items.map((item) => ({ item, ...stretchOf(item) }));
    all.sort((a, b) => a.start - b.start);
    this.items = all.map(({ item }) => item);
    this.starts = Float64Array.from(all, ({ start }) => start);
    this.ends = Float64Array.from(all, ({ end }) => end);
    this.latest = new Float64Array(all.length);
    let latest = -Infinity;
    for (let n = 0; n < all.length; n++)
      this.latest[n] = latest = Math.max(latest, this.ends[n]!);
  }

  get size(): number {
    return this.items.length;
  }

  /** Before this one, none ends after `time`. */
  private first(time: number): number {
    let low = 0;
    let high = this.latest.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.latest[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first that has `time` in it, or null. */
  at(time: number): T | null {
    for (let n = this.first(time); n < this.items.length; n++) {
      if (this.starts[n]! > time) break;
      if (this.ends[n]! > time) return this.items[n]!;
    }
    return null;
  }

  /** The first that has all of a range in it, or null. */
  around({ t0, t1 }: Range): T | null {
    for (let n = this.first(t0); n < this.items.length; n++) {
      if (this.starts[n]! > t0) break;
      if (this.ends[n]! >= t1) return this.items[n]!;
    }
    return null;
  }

  /**
   * Those that are seen, in whole pixels of a canvas, at least one wide.
   * One narrower than `least` is left out where others cover all of it: how
   * many are drawn depends on the width, not on how many there are.
   */
  seen(range: Range, width: number, least: number,
    put: (item: T, x0: number, x1: number) => void): void {
    const scale = width / (range.t1 - range.t0);
    let covered = -Infinity;
    // Most are narrow and covered. Two compares leave them, a thousandth of a
    // pixel early; those that are nearer are rounded as all others.
    let startsBefore = -Infinity;
    let endsBefore = -Infinity;
    const narrow = (least - 1.001) / scale;
    for (let n = this.first(range.t0); n < this.items.length; n++) {
      const start = this.starts[n]!;
      const end = this.ends[n]!;
      if (start < startsBefore && end < endsBefore && end - start < narrow)
        continue;
      if (start >= range.t1) break;
      if (end < range.t0) continue;
      const x0 = Math.min(width - 1,
        Math.max(0, Math.round((start - range.t0) * scale)));
      const x1 = Math.max(x0 + 1,
        Math.min(width, Math.round((end - range.t0) * scale)));
      if (x1 <= covered && x1 - x0 < least) continue;
      covered = Math.max(covered, x1);
      startsBefore = range.t0 + (covered - 0.501) / scale;
      endsBefore = range.t0 + (covered + 0.499) / scale;
      put(this.items[n]!, x0, x1);
    }
  }
}

/** One index for each of the groups that the items are in; null: in none. */
export function indexBy<T>(items: readonly T[],
  groupOf: (item: T) => number | null, stretchOf: (item: T) => Stretch)
  : ReadonlyMap<number, SpanIndex<T>> {
  const lists = new Map<number, T[]>();
  for (const item of items) {
    const group = groupOf(item);
    if (group === null) continue;
    const list = lists.get(group);
    if (list) list.push(item);
    else lists.set(group, [item]);
  }
  return new Map([...lists].map(([group, list]) =>
    [group, new SpanIndex(list, stretchOf)]));
}

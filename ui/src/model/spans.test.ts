// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { indexBy, SpanIndex } from "./spans.ts";

const own = (item: { start: number; end: number }) => item;
const range = (t0: number, t1: number) => ({ t0, t1 });

function seen(index: SpanIndex<{ start: number; end: number }>, t0: number,
  t1: number, width: number, least = 3): string[] {
  const list: string[] = [];
  index.seen(range(t0, t1), width, least, (item, x0, x1) =>
    list.push(`${item.start}:${x0}-${x1}`));
  return list;
}

test("what holds at a time, and what a range is inside of", () => {
  const index = new SpanIndex([{ start: 10, end: 20 }, { start: 0, end: 10 },
    { start: 30, end: 40 }], own);
  expect([-1, 0, 9, 10, 19, 20, 35, 40].map((time) =>
    index.at(time)?.start)).toEqual(
    [undefined, 0, 0, 10, 10, undefined, 30, undefined]);
  expect(index.around(range(31, 40))?.start).toBe(30);
  expect(index.around(range(9, 11))).toBeNull();
});

test("a long one that began early is found behind short ones", () => {
  const index = new SpanIndex([{ start: 0, end: 1000 },
    ...Array.from({ length: 50 }, (_, n) =>
      ({ start: n * 2 + 1, end: n * 2 + 2 }))], own);
  expect(index.at(500)?.start).toBe(0);
  expect(index.around(range(400, 600))?.start).toBe(0);
  expect(seen(index, 400, 600, 100)).toEqual(["0:0-100"]);
});

test("seen ones are cut to the canvas and one pixel wide at least", () => {
  const index = new SpanIndex([{ start: -50, end: 10 },
    { start: 20, end: 20.1 }, { start: 90, end: 500 }], own);
  expect(seen(index, 0, 100, 100)).toEqual(["-50:0-10", "20:20-21",
    "90:90-100"]);
});

test("many in a pixel are drawn once, wide ones always", () => {
  const many = Array.from({ length: 100_000 }, (_, n) =>
    ({ start: n, end: n + 0.5 }));
  const index = new SpanIndex([...many, { start: 10, end: 90_000 },
    { start: 20, end: 80_000 }], own);
  const drawn = seen(index, 0, 100_000, 200);
  expect(drawn.length).toBeLessThanOrEqual(203);
  expect(drawn).toContain("10:0-180");
  expect(drawn).toContain("20:0-160");
  expect(drawn.at(-1)).toMatch(/-200$/);
});

test("what is left out early is what is left out by its pixels", () => {
  let state = 1;
  const random = () =>
    (state = Math.imul(state, 0x9e3779b1) + 0x7f4a7c15 >>> 0) / 2 ** 32;
  for (let round = 0; round < 60; round++) {
    const items = Array.from({ length: 300 }, () => {
      const start = Math.floor(random() * 4000) / 4;
      return { start, end: start + Math.floor(random() ** 6 * 1000) / 4 };
    }).sort((a, b) => a.start - b.start);
    const t0 = Math.floor(random() * 900);
    const t1 = t0 + 1 + Math.floor(random() * 900);
    const width = [64, 200][round % 2]!;
    const least = [1, 2, 3, Infinity][round % 4]!;
    const wanted: string[] = [];
    let covered = -Infinity;
    for (const { start, end } of items) {
      if (start >= t1 || end < t0) continue;
      const pixel = (time: number) =>
        Math.round((time - t0) * (width / (t1 - t0)));
      const x0 = Math.min(width - 1, Math.max(0, pixel(start)));
      const x1 = Math.max(x0 + 1, Math.min(width, pixel(end)));
      if (x1 <= covered && x1 - x0 < least) continue;
      covered = Math.max(covered, x1);
      wanted.push(`${start}:${x0}-${x1}`);
    }
    const drawn = seen(new SpanIndex(items, own), t0, t1, width, least);
    // One that ends where the view begins may be found or not.
    const inside = (list: string[]) => list.filter((text) => !items.some(
      ({ start, end }) => end === t0 && text.startsWith(`${start}:`)));
    expect(inside(drawn), `round ${round}`).toEqual(inside(wanted));
  }
});

test("an index for each group", () => {
  const items = [{ group: 1, start: 0, end: 1 }, { group: null, start: 0,
    end: 9 }, { group: 2, start: 5, end: 6 }, { group: 1, start: 3, end: 4 }];
  const groups = indexBy(items, (item) => item.group, own);
  expect([...groups].map(([group, index]) => [group, index.size]))
    .toEqual([[1, 2], [2, 1]]);
  expect(groups.get(1)!.at(3)).toBe(items[3]);
});

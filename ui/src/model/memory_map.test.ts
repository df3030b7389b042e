// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { wholeRange } from "./axis.ts";
import {
  boxAt, boxOf, decodeBoxes, hueOfGroup, moveAddresses, openingRange, orderOf,
  runAt, runOf, sampleAt, shownGroups, stackOf, stepLines, topOf,
  zoomAddresses,
} from "./memory_map.ts";

const WINDOW = { t0: 1000, t1: 2000, low: 0, high: 4096, px: 100, py: 64 };

function answer(version = 1): ArrayBuffer {
  const bytes = new ArrayBuffer(16 + 2 * 32 + 8);
  const view = new DataView(bytes);
  [..."SSMB"].forEach((c, i) => view.setUint8(i, c.charCodeAt(0)));
  view.setUint32(4, version, true);
  view.setUint32(8, 2, true);
  view.setUint32(12, 1, true);
  const box = (at: number, begin: number, end: number, ...words: number[]) => {
    view.setFloat64(at, begin, true);
    view.setFloat64(at + 8, end, true);
    words.forEach((word, i) => view.setUint32(at + 16 + 4 * i, word, true));
  };
  box(16, 1100, 1300, 0, 512, 7, 2);
  box(48, 900, 1900, 1024, 1024, 9, 0);
  [50, 59, 32].forEach((word, i) => view.setUint16(80 + 2 * i, word, true));
  view.setUint8(86, 51);
  view.setUint8(87, 3);
  return bytes;
}

test("boxes come out as they were sent", () => {
  const boxes = decodeBoxes(answer(), WINDOW);
  expect(boxOf(boxes, 0, 2)).toEqual({ begin: 1100, end: 1300, low: 0,
    high: 1024, id: 7, group: 2 });
  expect(runOf(boxes, 0)).toEqual({ t0: 1500, t1: 1600, low: 2048, high: 2112,
    share: 0.2, group: 3 });
  expect(() => decodeBoxes(answer(2), WINDOW)).toThrow("another form");
  expect(() => decodeBoxes(answer().slice(0, 60), WINDOW)).toThrow("fewer");
  expect(() => decodeBoxes(new ArrayBuffer(3), WINDOW)).toThrow();
});

test("the pointer finds what is under it", () => {
  const boxes = decodeBoxes(answer(), WINDOW);
  expect(boxAt(boxes, 1, 1200, 100)?.id).toBe(7);
  expect(boxAt(boxes, 1, 1300, 100)).toBeNull();  // freed at that time
  expect(boxAt(boxes, 1, 1200, 600)).toBeNull();
  expect(boxAt(boxes, 1, 1200, 1500)?.id).toBe(9);
  expect(runAt(boxes, 1550, 2050)?.group).toBe(3);
  expect(runAt(boxes, 1601, 2050)).toBeNull();
});

const AREA = { groups: ["a", "b", "other", "before"], t: [10, 20, 40],
  event: [null, 3, 8],
  held: [[1, 2, 3], [0, 0, 0], [5, 0, 0], [7, 7, 6]] };

test("areas lie on one another, what was before at the bottom", () => {
  expect(orderOf(AREA)).toEqual([3, 0, 1, 2]);
  const stack = stackOf(AREA, orderOf(AREA));
  expect([...stack[0]!]).toEqual([7, 7, 6]);
  expect([...stack.at(-1)!]).toEqual([13, 9, 9]);
  expect(topOf(AREA, null)).toBeCloseTo(13 * 1.06);
  expect(topOf(AREA, { t: [0], min: [0], max: [100], last: [0] }))
    .toBeCloseTo(106);
  expect(shownGroups(AREA)).toEqual([0, 2, 3]);
});

test("a sample holds until the next one", () => {
  expect([5, 10, 19, 20, 999].map((time) => sampleAt(AREA, time)))
    .toEqual([-1, 0, 0, 1, 2]);
});

test("groups have different looks", () => {
  const looks = Array.from({ length: 14 }, (_, group) =>
    JSON.stringify(hueOfGroup(group, 14)));
  expect(new Set(looks).size).toBe(14);
});

test("addresses stay inside", () => {
  const all = { t0: 0, t1: 1000 };
  expect(zoomAddresses(all, 2, 500, 1000)).toEqual(all);
  expect(zoomAddresses(all, 0.5, 1000, 1000)).toEqual({ t0: 500, t1: 1000 });
  expect(moveAddresses({ t0: 500, t1: 700 }, 900, 1000))
    .toEqual({ t0: 800, t1: 1000 });
  expect(moveAddresses({ t0: 500, t1: 700 }, -900, 1000))
    .toEqual({ t0: 0, t1: 200 });
});

test("steps are lines, and never a fence", () => {
  const steps = Array.from({ length: 100 }, (_, i) =>
    ({ start: i * 10, end: i * 10 + 9 }));
  expect(stepLines(steps, { t0: 0, t1: 1000 }, 400)).toEqual([]);
  expect(stepLines(steps, { t0: 0, t1: 45 }, 400)).toEqual([0, 10, 20, 30, 40]);
});

test("the map opens where allocations happen", () => {
  const opened = (from: number, to: number) =>
    openingRange({ most_from: from, most_to: to }, 6000);
  expect(opened(5600, 5800)).toEqual({ t0: 5590, t1: 5810 });
  expect(opened(5900, 6000)).toEqual({ t0: 5895, t1: 6000.5 });
  // All over the recording, or nearly: nothing is hidden.
  expect(opened(100, 5800)).toEqual(wholeRange(6000));
  expect(opened(0, 6000)).toEqual(wholeRange(6000));
  // All at one instant.
  const { t0, t1 } = opened(300, 300);
  expect(t0).toBeLessThan(300);
  expect(t1).toBeGreaterThan(300);
});

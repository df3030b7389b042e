// SPDX-License-Identifier: Apache-2.0
import { beforeAll, expect, test } from "vitest";
import { ENDS_AFTER, MIXED } from "../model/records.ts";
import { sampleTile, type Box } from "../model/sample_tile.ts";
import { makePaints, shadeOf } from "./paints.ts";
import { Scan } from "./scan.ts";
import { sampleScene } from "./scene_support.ts";

beforeAll(() => {
  // Node has no ImageData.
  (globalThis as { ImageData?: unknown }).ImageData = class {
    data: Uint8ClampedArray;
    constructor(width: number, height: number) {
      this.data = new Uint8ClampedArray(width * height * 4);
    }
  };
});

const paints = makePaints("dark", ["kernel", "operator"]);
const BOX = paints.box[shadeOf(0)]!;
const TINT = paints.tint[shadeOf(0)]!;

/** Pixels of one lane, ten high: the column at x from the top down. */
function draw(boxes: Box[], name: number | null = null) {
  const scan = new Scan();
  scan.resize(100, 10);
  const image = scan.draw(
    sampleScene([sampleTile(boxes)], { t0: 0, t1: 100, width: 100 }), paints,
    { grid: [90], steps: [95] }, 1, name);
  const pixels = new Uint32Array(image.data.buffer);
  const column = (x: number) =>
    Array.from({ length: 9 }, (_, y) => pixels[y * 100 + x]!);
  return { column, boxes: scan.boxes };
}
const all = (colour: number) => Array<number>(9).fill(colour);

test("a box is full height, with a gap of one pixel after it", () => {
  const { column, boxes } = draw([{ x: 10, w: 20, row: 1 }]);
  expect(boxes).toBe(1);
  expect(column(9)).toEqual(all(paints.page));
  expect(column(10)).toEqual(all(BOX));
  expect(column(28)).toEqual(all(BOX));
  expect(column(29)).toEqual(all(paints.page));
});

test("no gap where the box goes on in the next tile", () => {
  const { column } = draw([{ x: 10, w: 20, row: 1, flags: ENDS_AFTER }]);
  expect(column(29)).toEqual(all(BOX));
});

test("the narrowest box is one pixel", () => {
  const { column } = draw([{ x: 50, w: 0, row: 1 }]);
  expect(column(50)).toEqual(all(BOX));
  expect(column(51)).toEqual(all(paints.page));
});

test("a mark is a tint with a bar as high as its busy share", () => {
  const { column } = draw([{ x: 10, w: 2, row: 1, count: 9, fill: 127 }]);
  expect(column(10)).toEqual([...Array<number>(5).fill(TINT),
    ...Array<number>(4).fill(BOX)]);
});

test("bars of all heights stand beside each other and beside boxes", () => {
  const fills = Array.from({ length: 40 }, (_, n) => (n * 97) % 254 + 1);
  const { column } = draw(fills.map((fill, n) => n % 5 === 4
    ? { x: n * 2, w: 2, row: n }
    : { x: n * 2, w: 2, row: n, count: 9, fill }));
  fills.forEach((fill, n) => {
    const bar = n % 5 === 4 ? 10
      : Math.max(1, Math.round((fill / 254) * 10));
    expect(column(n * 2)).toEqual(Array.from({ length: 9 }, (_, y) =>
      y < 10 - bar ? TINT : BOX));
  });
  expect(column(85)).toEqual(all(paints.page));
});

test("a mark without a main name is hatched with grey", () => {
  const { column } = draw([
    { x: 8, w: 2, row: 1, count: 9, fill: 254, flags: MIXED }]);
  expect(column(8)).toEqual(all(paints.hatch));
  expect(column(9)).toEqual(all(BOX));
});

test("a highlighted name stands out, others step back", () => {
  const { column } = draw([{ x: 10, w: 5, row: 1, name: 0 },
    { x: 20, w: 5, row: 2, name: 1 }], 1);
  expect(column(11)).toEqual(all(TINT));
  expect(column(21)).toEqual(all(paints.box[shadeOf(1)]!));
});

test("lines of the grid and of steps go through", () => {
  const { column } = draw([{ x: 10, w: 5, row: 1 }]);
  expect(column(90)).toEqual(all(paints.grid));
  expect(column(95)).toEqual(all(paints.step));
});

test("a box whose ends are far outside fills the view", () => {
  const scan = new Scan();
  scan.resize(100, 10);
  // A tile of 2^16 ns is 6.5 million pixels wide here.
  const image = scan.draw(sampleScene([sampleTile([
    { x: 0, w: 300, row: 1, name: 1 }, { x: 400, w: 60_000, row: 2 }])],
  { t0: 30_000, t1: 30_001, width: 100 }), paints, { grid: [], steps: [] },
  1, null);
  const pixels = new Uint32Array(image.data.buffer);
  expect(scan.boxes).toBe(1);
  expect(new Set(pixels.subarray(0, 900))).toEqual(new Set([BOX]));
});

test("a picture that has been another size is drawn as a whole", () => {
  const scan = new Scan();
  const scene = sampleScene([sampleTile([{ x: 10, w: 20, row: 1 }])],
    { t0: 0, t1: 100, width: 100 });
  const draw = () => {
    scan.resize(100, 10);
    return [...new Uint32Array(scan.draw(scene, paints,
      { grid: [], steps: [] }, 1, null).data.buffer)];
  };
  const first = draw();
  scan.resize(80, 10);
  expect(draw()).toEqual(first);
});

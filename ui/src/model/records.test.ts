// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  BEGINS_BEFORE, classOf, countOf, decodeAnswer, depthOf, fillOf, flagsOf,
  lowerBound, MIXED, nameOf, NO_NAME, rowOf, slotOf, slotOfTrack,
  widthOf, xOf,
} from "./records.ts";
import { recordsOf, sampleTile, type Box } from "./sample_tile.ts";
import { encodeAnswer } from "../../test/mock/encode.mjs";

const boxes: Box[] = [
  { x: 5, w: 7, row: 0xfffffffe, name: 1, depth: 3, class: 4,
    flags: MIXED | BEGINS_BEFORE, count: 65535, fill: 200, slot: 1 },
  { x: 65535, w: 65535, row: 3, name: 0, slot: 1, depth: 4 },
];

test("an answer is read as it was written", () => {
  const answer = decodeAnswer(encodeAnswer(12, 2 ** 33, [11, 99],
    [recordsOf(boxes), recordsOf([])]), [4, 9]);
  expect(answer.tiles.map((one) => [one.k, one.i, one.count]))
    .toEqual([[12, 2 ** 33, 2], [12, 2 ** 33 + 1, 0]]);
  const tile = answer.tiles[0]!;
  expect([xOf(tile, 0), widthOf(tile, 0), rowOf(tile, 0), nameOf(tile, 0),
    depthOf(tile, 0), classOf(tile, 0), flagsOf(tile, 0), countOf(tile, 0),
    fillOf(tile, 0), slotOf(tile, 0)]).toEqual(
    [5, 7, 0xfffffffe, 99, 3, 4, MIXED | BEGINS_BEFORE, 65535, 200, 1]);
  expect([xOf(tile, 1), widthOf(tile, 1), nameOf(tile, 1)])
    .toEqual([65535, 65535, 11]);
  expect(nameOf(sampleTile([{ x: 0, w: 1, row: 0, name: 65535 }]), 0))
    .toBe(NO_NAME);
  expect(slotOfTrack(tile, 9)).toBe(1);
  expect(slotOfTrack(tile, 1)).toBe(-1);
});

test("what is not an answer is refused", () => {
  const good = encodeAnswer(3, 0, [1], [recordsOf(boxes)]);
  expect(() => decodeAnswer(good.slice(0, 8), [0])).toThrow("not a tile");
  expect(() => decodeAnswer(good.slice(0, good.byteLength - 1), [0]))
    .toThrow("cut short");
  const other = good.slice(0);
  new DataView(other).setUint16(4, 2, true);
  expect(() => decodeAnswer(other, [0])).toThrow("version 2");
  new DataView(other).setUint32(0, 7, true);
  expect(() => decodeAnswer(other, [0])).toThrow("not a tile");
});

test("lanes are found by binary search", () => {
  const tile = sampleTile([
    { x: 1, w: 1, row: 0, slot: 0, depth: 0 },
    { x: 4, w: 1, row: 1, slot: 0, depth: 0 },
    { x: 2, w: 1, row: 2, slot: 0, depth: 2 },
    { x: 0, w: 1, row: 3, slot: 1, depth: 0 },
  ], { tracks: [0, 1] });
  expect([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]].map(([slot, depth]) =>
    lowerBound(tile, slot!, depth!, 0))).toEqual([0, 2, 2, 3, 4]);
  expect(lowerBound(tile, 0, 0, 2)).toBe(1);
});

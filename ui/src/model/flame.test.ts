// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  dataOfFunctions, flameRow, functionsOf, hasTwoLines, levelsOf, matches,
  placeFlame,
} from "./flame.ts";

const box = (name: string, x: number, w: number, depth = 0) => ({ name, x, w,
  depth, class: "op", self: w, calls: 1, start: 0, dur: w });

test("a chosen box fills the width; what lies beside it goes", () => {
  const boxes = [box("a", 0, 60), box("b", 60, 40), box("a.x", 0, 30, 1),
    box("tiny", 30, 0.01, 1)];
  const seen = (from: number, wide: number) => placeFlame(boxes, from, wide)
    .map(({ box: one, left, width }) => [one.name, left, width]);
  expect(seen(0, 100)).toEqual([["a", 0, 0.6], ["b", 0.6, 0.4],
    ["a.x", 0, 0.3]]);
  expect(seen(0, 30)).toEqual([["a", 0, 1], ["a.x", 0, 1]]);
  expect(levelsOf(placeFlame(boxes, 0, 100))).toBe(2);
  expect(levelsOf(placeFlame(boxes, 60, 40))).toBe(1);
});

test("a name is found in any case", () => {
  expect(matches("aten::Conv2d", " conv")).toBe(true);
  expect(matches("aten::add", "conv")).toBe(false);
});

test("few levels are high, and many keep the height of a name", () => {
  expect(hasTwoLines(flameRow(1, 400))).toBe(true);
  expect(flameRow(7, 400)).toBe(flameRow(1, 400));
  expect(flameRow(16, 400)).toBe(25);
  expect(hasTwoLines(flameRow(16, 400))).toBe(false);
  expect(flameRow(70, 400)).toBe(flameRow(700, 400));
});

test("functions with their own time, as the server has them", () => {
  const boxes = [box("mm", 0, 60), box("caller", 0, 60, 1), box("add", 60, 20),
    box("none", 80, 0)];
  const functions = functionsOf({ total: 100, modules: false, boxes });
  const data = dataOfFunctions(functions, 100);
  expect(Array.from({ length: data.count }, (_, row) =>
    data.columns.map((__, at) => data.cell(row, at))))
    .toEqual([["mm", 60, 0.6, 1], ["add", 20, 0.2, 1]]);
});

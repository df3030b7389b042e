// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { matches, placeFlame } from "./flame.ts";

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
});

test("a name is found in any case", () => {
  expect(matches("aten::Conv2d", " conv")).toBe(true);
  expect(matches("aten::add", "conv")).toBe(false);
});

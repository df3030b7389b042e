// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { noSettings } from "./layout.ts";
import {
  formatBox, formatMarks, formatSettings, parseBox, parseMarks,
  parseSettings, toggled,
} from "./settings.ts";

test("settings survive the address", () => {
  const settings = { pinned: [3, 1], foldedGroups: [0], foldedTracks: [7],
    hidden: [9], filter: "gpu 0",
    moved: [{ id: 4, by: 2, after: true }],
    movedGroups: [{ id: 1, by: 0, after: false }] };
  expect(parseSettings(formatSettings(settings))).toEqual(settings);
  expect(parseSettings({})).toEqual(noSettings);
});

test("what is wrong is left out", () => {
  expect(parseSettings({ pin: "1,x,-2,3", move: "1-2,5,a-b" }))
    .toMatchObject({ pinned: [1, 3],
      moved: [{ id: 1, by: 2, after: false }] });
});

test("marks, whatever their text", () => {
  const marks = [{ t0: -5, t1: 12, text: "a;b:c <i> 100 %" },
    { t0: 3, t1: 3, text: "" }];
  expect(parseMarks(formatMarks(marks))).toEqual(marks);
  expect(parseMarks("9-1:x;nonsense;1-2:%")).toEqual(
    [{ t0: 1, t1: 2, text: "%" }]);
});

test("a mark of a very long name is cut, also one of a link", () => {
  const long = "n".repeat(5000);
  const text = formatMarks([{ t0: 1, t1: 2, text: long + " 3 ms" }]);
  expect(text.length).toBeLessThan(200);
  expect(decodeURIComponent(text)).toMatch(/^1-2:n+…n+ 3 ms$/);
  expect(parseMarks(`1-2:${long}`)[0]!.text.length).toBeLessThan(200);
});

test("a box", () => {
  const box = { t0: 10, t1: 20, tracks: [1, 4] };
  expect(parseBox(formatBox(box))).toEqual(box);
  expect(parseBox("20-10:1")).toBeNull();
  expect(formatBox(null)).toBe("");
});

test("toggled", () => {
  expect(toggled([1, 2], 2)).toEqual([1]);
  expect(toggled([1], 2)).toEqual([1, 2]);
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { frameTime, panShare, TAP_MS, zoomFactor } from "./motion.ts";

test("zooming twice for a time is zooming once for twice the time", () => {
  expect(zoomFactor(40, false) ** 2).toBeCloseTo(zoomFactor(80, false), 12);
  expect(zoomFactor(0, false)).toBe(1);
  expect(zoomFactor(TAP_MS, false)).toBeLessThan(1);
});

test("Shift is three times as fast", () => {
  expect(zoomFactor(30, true)).toBeCloseTo(zoomFactor(90, false), 12);
  expect(panShare(30, true)).toBeCloseTo(panShare(90, false), 12);
});

test("a frame never moves back, and a late one not far", () => {
  expect([-8, 0, 16, 900].map(frameTime)).toEqual([0, 0, 16, 50]);
});

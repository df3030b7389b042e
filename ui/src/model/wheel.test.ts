// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sidewaysOf } from "./wheel.ts";

const turn = (deltaX: number, deltaY: number, shiftKey = false) =>
  sidewaysOf({ deltaX, deltaY, shiftKey });

test("the larger axis wins", () => {
  expect(turn(2, 60)).toBe(0);
  expect(turn(-2, -60)).toBe(0);
  expect(turn(60, 2)).toBe(60);
  expect(turn(-60, 2)).toBe(-60);
  expect(turn(0, 60)).toBe(0);
});

test("shift turns a wheel sideways, where the browser did not", () => {
  expect(turn(0, 60, true)).toBe(60);
  expect(turn(60, 0, true)).toBe(60);
});

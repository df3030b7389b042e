// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { wholeRange } from "../model/axis.ts";
import { columnsOf, rangeOf } from "./columns.ts";
import { windowPlace } from "./minimap.ts";

const SPAN = 1e9;

test("the whole trace has no window", () => {
  expect(windowPlace({ ...wholeRange(SPAN), width: 1000 }, SPAN)).toBeNull();
});

test("the whole trace has no window, whatever its length rounds to", () => {
  for (const span of [999, 2e6, 72_177_574, 397_797_597])
    for (let width = 300; width < 2600; width += 7) {
      const picture = rangeOf(columnsOf(wholeRange(span), width), width);
      expect(windowPlace({ ...picture, width }, span)).toBeNull();
    }
});

test("the window is where the view is, in whole pixels", () => {
  const place = windowPlace({ t0: 0.25e9, t1: 0.5e9, width: 1008 }, SPAN)!;
  expect(place).toEqual({ left: 254, right: 504 });
});

test("a short view is still seen, at both ends of the trace", () => {
  for (const t0 of [-0.4, 0, 1e9 - 1, 1e9 + 0.4]) {
    const { left, right } =
      windowPlace({ t0, t1: t0 + 1, width: 1000 }, SPAN)!;
    expect(right - left).toBe(5);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(1000);
  }
});

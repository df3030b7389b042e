// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { MOST_BARS, sparkBars } from "./spark.ts";

const itself = (value: number) => value;

test("few steps have a bar each", () => {
  const bars = sparkBars([3, 1, 2], itself, (value) => value === 3);
  expect(bars).toEqual([{ item: 3, odd: true }, { item: 1, odd: false },
    { item: 2, odd: false }]);
});

test("of many steps, none is left out and bars are few", () => {
  for (const count of [28, 29, 56, 957, 100_000]) {
    const steps = Array.from({ length: count }, (_, n) => n);
    const bars = sparkBars(steps, itself, (n) => n === count - 1);
    expect(bars.length).toBeLessThanOrEqual(MOST_BARS);
    expect(bars.at(-1)).toEqual({ item: count - 1, odd: true });
  }
  expect(sparkBars([], itself, () => false)).toEqual([]);
});

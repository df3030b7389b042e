// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  countOf, formatBytes, formatCount, formatRange, formatShare, formatTick,
  formatTime, formatValue,
} from "./format.ts";

const plain = (text: string) => text.replaceAll("\u202f", " ");

test.each([
  [0, "0 ns"], [1, "1 ns"], [812, "812 ns"], [999, "999 ns"],
  [1000, "1.00 µs"], [26_700, "26.7 µs"], [999_960, "1.00 ms"],
  [999_400, "999.4 µs"], [1_060_000, "1.06 ms"], [397_800_000, "397.8 ms"],
  [1_500_000_000, "1.50 s"], [-2_500, "-2.50 µs"],
])("%d ns is %s", (ns, text) => expect(plain(formatTime(ns))).toBe(text));

test.each([
  [37_800_000, 100_000, "37.8 ms"], [0, 100_000, "0 µs"],
  [1_000_000, 1_000_000, "1 ms"], [1_234_567_890, 10, "1.23456789 s"],
  [5_000_000_000, 1_000_000_000, "5 s"], [40, 20, "40 ns"],
  [7_500_000, 2_500_000, "7.5 ms"],
])("tick at %d by %d", (ns, step, text) =>
  expect(plain(formatTick(ns, step))).toBe(text));

test("counts, sizes, shares", () => {
  expect(formatCount(1234567)).toBe("1,234,567");
  expect(formatCount(999)).toBe("999");
  expect(plain(formatBytes(0))).toBe("0 B");
  expect(plain(formatBytes(1024 * 1024 - 1))).toBe("1.00 MiB");
  expect(plain(formatBytes(3_166_000_000))).toBe("2.95 GiB");
  expect(plain(formatShare(0.2356))).toBe("23.6 %");
});

test("a counter's value has the unit of the counter", () => {
  expect(plain(formatValue(2048, "bytes"))).toBe("2.00 KiB");
  expect(plain(formatValue(0.5, "share"))).toBe("50.0 %");
  expect(plain(formatValue(3, "kernels"))).toBe("3 kernels");
  expect(plain(formatValue(4.8e12, "B/s"))).toBe("4.80 TB/s");
  expect(plain(formatValue(1.98e9, "Hz"))).toBe("1.98 GHz");
  expect(plain(formatValue(0, "B/s"))).toBe("0 B/s");
  expect(plain(formatValue(1.25))).toBe("1.25");
});

test("a range says its unit once", () => {
  expect(plain(formatRange(43_300_000, 62_100_000))).toBe("43.3 – 62.1 ms");
  expect(plain(formatRange(812, 62_100_000))).toBe("812 ns – 62.1 ms");
  expect(plain(formatRange(0, 5))).toBe("0 – 5 ns");
});

test("one of a kind is not many", () => {
  expect([0, 1, 1200].map((n) => countOf(n, "row")))
    .toEqual(["0 rows", "1 row", "1,200 rows"]);
});

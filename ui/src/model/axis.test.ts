// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  clampRange, endOfEvents, firstRange, frameEvent, isOtherView, reveal,
  SHORTEST, ticksOf, timeToX, wholeRange, xToTime, zoomAt,
} from "./axis.ts";

const SPAN = 1e9;

test("pixels and times are inverse", () => {
  const range = { t0: 100, t1: 300 };
  expect(timeToX(range, 1000, 150)).toBe(250);
  expect(xToTime(range, 1000, 250)).toBe(150);
});

test("zoom keeps what is under the pointer", () => {
  const range = { t0: 4e8, t1: 6e8 };
  const anchor = 4.5e8;
  const next = zoomAt(range, 0.5, anchor, SPAN);
  expect(next.t1 - next.t0).toBeCloseTo(1e8, 0);
  expect(timeToX(next, 1000, anchor)).toBeCloseTo(
    timeToX(range, 1000, anchor), 6);
});

test("zoom ends at 40 ns and at the whole trace", () => {
  let range = wholeRange(SPAN);
  for (let i = 0; i < 200; i++) range = zoomAt(range, 0.5, 123456, SPAN);
  expect(range.t1 - range.t0).toBeCloseTo(SHORTEST, 6);
  expect(range.t0).toBeLessThan(123456);
  expect(range.t1).toBeGreaterThan(123456);
  for (let i = 0; i < 200; i++) range = zoomAt(range, 2, 123456, SPAN);
  expect(range).toEqual(wholeRange(SPAN));
});

test("pan never loses the trace", () => {
  let range = { t0: 0, t1: 1e6 };
  const pan = (by: number) => clampRange(
    { t0: range.t0 + by, t1: range.t1 + by }, SPAN);
  for (let i = 0; i < 50; i++) range = pan(-5e5);
  expect(range.t1).toBeGreaterThan(0);
  range = { t0: 9.99e8, t1: 1e9 };
  for (let i = 0; i < 50; i++) range = pan(5e5);
  expect(range.t0).toBeLessThan(SPAN);
  expect(range.t1 - range.t0).toBeCloseTo(1e6, 0);
});

test("a range that is none becomes the whole", () => {
  expect(clampRange({ t0: 5, t1: 5 }, SPAN)).toEqual(wholeRange(SPAN));
  expect(clampRange({ t0: NaN, t1: 5 }, SPAN)).toEqual(wholeRange(SPAN));
});

test("an empty trace has an axis", () => {
  const range = wholeRange(0);
  expect(range.t1).toBeGreaterThan(range.t0);
});

test("an event that is seen well does not move the view", () => {
  const range = { t0: 1e6, t1: 2e6 };
  expect(reveal(range, 1.5e6, 1e4, SPAN)).toBe(range);
  const moved = reveal(range, 5e6, 1e4, SPAN);
  expect(moved.t1 - moved.t0).toBeCloseTo(1e6, 0);
  expect((moved.t0 + moved.t1) / 2).toBeCloseTo(5.005e6, 0);
});

test("an event too small to see is zoomed to", () => {
  const next = reveal(wholeRange(SPAN), 5e8, 1000, SPAN);
  expect(next.t1 - next.t0).toBeCloseTo(60_000, 0);
});

test("frames hold the event in the middle third", () => {
  expect(frameEvent(3e6, 1e6, SPAN)).toEqual({ t0: 2e6, t1: 5e6 });
});

test("ticks are round and not too near", () => {
  const { step, times } = ticksOf({ t0: 37.72e6, t1: 38.78e6 }, 1210);
  expect(step).toBe(100_000);
  expect(times[0]).toBe(37.8e6);
  expect(times.length).toBe(10);
  expect(ticksOf({ t0: 0, t1: 40 }, 1200).step).toBeGreaterThanOrEqual(1);
});

test("a zoom and a jump are steps to go back over, moving is none", () => {
  const seen = { t0: 100, t1: 200 };
  expect(isOtherView(seen, { t0: 100, t1: 150 })).toBe(true);
  expect(isOtherView(seen, { t0: 100.04, t1: 200.01 })).toBe(false);
  expect(isOtherView(seen, { t0: 180, t1: 280 })).toBe(false);
  expect(isOtherView(seen, { t0: 200, t1: 300 })).toBe(true);
  expect(isOtherView(seen, { t0: -50, t1: 50 })).toBe(true);
});

test("what is seen first ends with the events, where much follows them", () => {
  expect(firstRange({ span_ns: SPAN })).toEqual(wholeRange(SPAN));
  const little = { span_ns: SPAN, events_end: 0.97 * SPAN };
  expect(endOfEvents(little)).toBeNull();
  expect(firstRange(little)).toEqual(wholeRange(SPAN));
  const much = { span_ns: SPAN, events_end: 0.7 * SPAN };
  expect(endOfEvents(much)).toBe(0.7 * SPAN);
  expect(firstRange(much)).toEqual(wholeRange(0.7 * SPAN));
});

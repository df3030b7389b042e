// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  collectivePattern, longestDelay, placeOfStep, rangeOfStep, type RankStep,
} from "./rank_place.ts";

const steps: RankStep[] = [
  { rank: 1, step: 4, start_ns: 1000, step_ns: 100, delays_ns: 0 },
  { rank: 1, step: 5, start_ns: 1010, step_ns: 300, delays_ns: 1 },
  { rank: 1, step: 6, start_ns: 1400, step_ns: 200, delays_ns: 2 },
];

test("the step of a rank to look at", () => {
  expect(longestDelay(steps)?.step).toBe(6);
  expect(longestDelay(steps.map((one) => ({ ...one, delays_ns: 0 })))?.step)
    .toBe(5);
  expect(longestDelay([])).toBeNull();
});

test("a step in the trace of its rank, by the clock of that", () => {
  const info = { span_ns: 10_000, steps: [
    { index: 5, start: 1000, end: 2000, dur: 1000, warmup: false }] };
  expect(rangeOfStep(steps[1]!, info)).toEqual({ from: 970, to: 2030 });
  expect(rangeOfStep(steps[0]!, info)).toEqual({ from: 0, to: 10_000 });
});

test("its time and the threads of its rank alone", () => {
  const info = { origin_ns: "900", span_ns: 1000,
    groups: [{ id: 0, name: "GPU 0" }, { id: 1, name: "Rank 1 · python3" },
      { id: 2, name: "Rank 10 · python3" }],
    tracks: [{ id: 0, group: 0, kind: "stream" },
      { id: 1, group: 1, kind: "thread" },
      { id: 2, group: 2, kind: "thread" }] } as never;
  expect(placeOfStep(steps[1]!, info))
    .toEqual({ from: 101, to: 419, tracks: [1] });
});

test("a collective is found by the names that libraries give it", () => {
  const pattern = new RegExp(collectivePattern("all_reduce").slice(1, -1));
  expect("ncclDevKernel_AllReduce_Sum").toMatch(pattern);
  expect("gloo:all_reduce").toMatch(pattern);
  expect("nccl:allreduce").toMatch(pattern);
  expect("reduce_scatter").not.toMatch(pattern);
});

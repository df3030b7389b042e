// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type {
  IterationSpots, LatencyInfo, RequestList, ServingInfo,
} from "../generated/answers.ts";
import {
  billOf, chosenOf, countTicks, extentOf, indexSpots, linear, logarithmic,
  phasesOf, placeIn, powerTicks, requestName, requestsIn, servingRange,
  shownLatencies, spotLabel, spotsOf, spotText, withChosen,
} from "./serving.ts";

const answer: IterationSpots = { kinds: ["prefill", "decode"], total: 6,
  first: [0, 1, 5], count: [1, 4, 1], start: [0, 100, 400],
  dur: [50, 90, 25], kind: [0, 1, 1], row: [3, 9, 40], chosen: [0, 1, 0],
  requests: [1, 8, null], tokens: [90, 8, null] };
const plain = (text: string) => text.replaceAll("\u202f", " ");

test("an iteration in words", () => {
  const [one, four, last] = spotsOf(answer);
  expect(plain(spotText(one!)))
    .toBe("Iteration 0: Prefill, 1 request, 90 tokens, 50 ns");
  expect(plain(spotText(four!))).toBe("4 iterations from 1 on, mostly " +
    "decode, at most 8 requests, at most 8 tokens, 90 ns");
  expect(plain(spotText(last!))).toBe("Iteration 5: Decode, 25 ns");
  expect([one!, four!, last!].map(spotLabel))
    .toEqual(["Prefill · 1 request", "4 iterations", "Decode"]);
});

test("an iteration is found by its time", () => {
  const spots = indexSpots(spotsOf(answer));
  expect(spots.at(49)?.first).toBe(0);
  expect(spots.at(50)).toBeNull();
  expect(spots.at(189)).toMatchObject({ first: 1, chosen: true });
});

const list: RequestList = { count: 4,
  table: { columns: [], rows: [[], [], [], []] },
  queue: [0, 20, null, null], queue_dur: [10, 5, null, null],
  prefill: [10, 25, 60, null], prefill_dur: [20, 15, 10, null],
  decode: [30, null, 70, null], decode_dur: [50, null, 30, null] };

test("the phases of a request that are known", () => {
  expect(phasesOf(list, 0)).toEqual([
    { phase: "queue", start: 0, end: 10 },
    { phase: "prefill", start: 10, end: 30 },
    { phase: "decode", start: 30, end: 80 }]);
  expect(phasesOf(list, 2).map((one) => one.phase))
    .toEqual(["prefill", "decode"]);
  expect(phasesOf(list, 3)).toEqual([]);
  expect([0, 1, 3].map((n) => extentOf(list, n))).toEqual(
    [{ start: 0, end: 80 }, { start: 20, end: 40 }, null]);
});

test("all of a server is seen, and not what lies around it", () => {
  const info = { start: 500, dur: 100 } as ServingInfo;
  expect(servingRange(info)).toEqual({ t0: 499, t1: 601 });
  const { t0, t1 } = servingRange({ ...info, dur: 0 });
  expect(t1).toBeGreaterThan(t0);
});

test("requests of a window", () => {
  expect(requestsIn(list, { t0: 0, t1: 15 })).toEqual([0, 3]);
  expect(requestsIn(list, { t0: 35, t1: 50 })).toEqual([0, 1, 3]);
  expect(requestsIn(list, { t0: 85, t1: 99 })).toEqual([2, 3]);
});

test("a stretch in a window", () => {
  const range = { t0: 100, t1: 200 };
  expect(placeIn(range, 110, 120)).toEqual({ left: 0.1, width: 0.1 });
  expect(placeIn(range, 0, 150)).toEqual({ left: 0, width: 0.5 });
  expect(placeIn(range, 0, 400)).toEqual({ left: 0, width: 1 });
  expect(placeIn(range, 0, 90)).toBeNull();
  expect(placeIn(range, 250, 290)).toBeNull();
});

test("scales of the bars", () => {
  expect(linear(4, 8)).toBe(0.5);
  expect([0, 8].map((one) => logarithmic(one, 8))).toEqual([0, 1]);
  expect(logarithmic(1, 1000)).toBeGreaterThan(0.09);
  expect(countTicks(1)).toEqual([0, 1]);
  expect(countTicks(8)).toEqual([0, 2, 4, 6, 8]);
  expect(countTicks(37)).toEqual([0, 10, 20, 30]);
  for (let most = 1; most < 3000; most += 7) {
    expect(countTicks(most).length).toBeLessThanOrEqual(5);
    expect(countTicks(most).length).toBeGreaterThan(1);
  }
  expect(powerTicks(256)).toEqual([1, 10, 100]);
});

test("an address chooses a request or an iteration that there is", () => {
  const serves = { count: 9, requests: 3, kinds: [], groups: [0],
    concluded: false };
  expect(chosenOf({ request: "2" }, serves))
    .toEqual({ request: 2, iteration: null });
  expect(chosenOf({ request: "2", iteration: "1" }, serves).iteration)
    .toBeNull();
  expect(chosenOf({ iteration: "8" }, serves).iteration).toBe(8);
  for (const wrong of ["3", "-1", "1e0", "x", ""])
    expect(chosenOf({ request: wrong }, serves).request).toBeNull();
  expect(chosenOf({ request: "0" }, null).request).toBeNull();
  expect(withChosen({ tab: "x", request: "1" },
    { request: null, iteration: 4 })).toEqual({ tab: "x", iteration: "4" });
});

test("histograms: those of requests, and of one kind", () => {
  const latency = (key: string, kind: string | null): LatencyInfo => ({ key,
    kind, title: key, meaning: "", count: 1, p50: 1, p90: 1, p99: 1,
    histogram: { edges: [1, 2], counts: [1] } });
  const all = [latency("ttft", null), latency("p", "prefill"),
    latency("d", "decode")];
  expect(shownLatencies(all, undefined)).toMatchObject(
    { requests: [{ key: "ttft" }], kinds: ["prefill", "decode"],
      period: { key: "d" } });
  expect(shownLatencies(all, "prefill").period?.key).toBe("p");
  expect(shownLatencies(all.slice(0, 2), "gone").period?.key).toBe("p");
  expect(shownLatencies([], undefined).period).toBeNull();
});

test("a request without an id has its number", () => {
  expect(requestName("a", 3)).toBe("a");
  expect(requestName("", 3)).toBe("request 3");
});

test("a rule that nobody knows is the usual one", () => {
  const info = { bills: ["tokens", "requests"].map((name) =>
    ({ name, title: "", meaning: "" })) } as ServingInfo;
  expect(billOf(info, {}).name).toBe("tokens");
  expect(billOf(info, { bill: "requests" }).name).toBe("requests");
  expect(billOf(info, { bill: "tenants" }).name).toBe("tokens");
});

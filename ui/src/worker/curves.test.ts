// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { TrackRow } from "../model/layout.ts";
import { indexSteps } from "../model/steps.ts";
import type {
  CounterSeries, StageInfo, TraceInfo,
} from "../generated/answers.ts";
import { stageTrackOf } from "../model/layout.ts";
import { drawCurves, indexStages, sampleAt, scaleOf, seenRange } from
  "./curves.ts";
import { makePaints } from "./paints.ts";
import { indexPath } from "./path_track.ts";
import { rulerTicks } from "./ruler.ts";
import { SeriesStore } from "./series.ts";

test("the sample that holds at a time", () => {
  const times = [10, 20, 30];
  expect([5, 10, 19, 30, 99].map((time) => sampleAt(times, time)))
    .toEqual([-1, 0, 0, 2, 2]);
});

test("the values that are seen, with the one that holds at the left", () => {
  const series = { t: [0, 10, 20], min: [5, 1, 7], max: [5, 3, 9],
    last: [5, 2, 8] };
  expect(seenRange(series, 5, 12)).toEqual({ min: 1, max: 5 });
  expect(seenRange(series, 25, 30)).toEqual({ min: 7, max: 9 });
  expect(seenRange({ t: [], min: [], max: [], last: [] }, 0, 1)).toBeNull();
});

test("shares are drawn from 0 to 1, memory in its own range", () => {
  const row = (kind: string) => ({ kind }) as TrackRow;
  expect(scaleOf(row("busy"), { min: 0.2, max: 0.4 }))
    .toEqual({ low: 0, high: 1 });
  const memory = scaleOf(row("memory"), { min: 2.9e9, max: 2.95e9 });
  expect(memory.low).toBeGreaterThan(2.8e9);
  expect(scaleOf(row("memory"), { min: 5, max: 5 }).high).toBeGreaterThan(5);
});

test("the ruler counts from the step that fills the view", () => {
  const steps = indexSteps([
    { index: 0, start: 0, end: 1000, dur: 1000, warmup: false },
    { index: 1, start: 1000, end: 3000, dur: 2000, warmup: false }]);
  expect(steps.around({ t0: 1100, t1: 1900 })?.index).toBe(1);
  expect(steps.around({ t0: 900, t1: 1900 })).toBeNull();
  const view = { t0: 1100, t1: 2100, width: 1000, height: 1, scroll: 0,
    ratio: 1 };
  expect(rulerTicks(steps, view)).toMatchObject({ base: 1000, step: 200 });
  expect(rulerTicks(steps, view).times[0]).toBe(200);
});

/** The rectangles that stages become, as "from-to". */
function stageRects(stages: [start: number, end: number][]): string[] {
  const rects: string[] = [];
  const ignore = () => {};
  const context = { save: ignore, restore: ignore, beginPath: ignore,
    rect: ignore, clip: ignore, fillText: ignore,
    fillRect: (x: number, _: number, wide: number) =>
      rects.push(`${x}-${x + wide}`) };
  drawCurves(context as unknown as OffscreenCanvasRenderingContext2D,
    [{ type: "track", kind: "stage", track: stageTrackOf(0), y: 0, top: 0,
      boxHeight: 4 } as TrackRow], {} as SeriesStore,
    indexStages(stages.map(([start, end]) =>
      ({ name: "", group: 0, start, end }) as StageInfo)),
    indexPath([]), {} as TraceInfo,
    { t0: 0, t1: 100, width: 100, height: 100, scroll: 0, ratio: 1 },
    makePaints("light", []), ignore);
  return rects;
}

test("stages that touch are one rectangle, wide ones have a gap", () => {
  expect(stageRects([[10, 20], [20, 21], [21, 22], [22, 24], [24, 40],
    [60, 60.2], [60.1, 60.3], [61, 62]]))
    .toEqual(["10-19", "20-39", "60-62"]);
  const many = Array.from({ length: 5000 }, (_, n): [number, number] =>
    [n / 50, (n + 1) / 50]);
  expect(stageRects(many)).toEqual(["0-100"]);
  expect(stageRects([])).toEqual([]);
});

/** Where a counter is drawn, with "fill" where an area ends. */
function drawnCurve(series: CounterSeries): (number | "fill")[] {
  const xs: (number | "fill")[] = [];
  const ignore = () => {};
  const note = (x: number) => void xs.push(x);
  const context = { save: ignore, restore: ignore, beginPath: ignore,
    rect: ignore, clip: ignore, stroke: ignore, fill: () => xs.push("fill"),
    closePath: ignore, moveTo: note, lineTo: note };
  drawCurves(context as unknown as OffscreenCanvasRenderingContext2D,
    [{ type: "track", kind: "busy", track: 3, y: 0, top: 0, height: 42 } as
      TrackRow],
    { counter: () => series } as unknown as SeriesStore,
    indexStages([]), indexPath([]), { span_ns: 60 } as TraceInfo,
    { t0: -20, t1: 80, width: 100, height: 100, scroll: 0, ratio: 1 },
    makePaints("light", []), ignore);
  return xs;
}

const counterOf = (t: number[], values: (number | null)[]): CounterSeries =>
  ({ t, min: values, max: values, last: values });

test("a curve ends where the trace ends", () => {
  const xs = drawnCurve(counterOf([-20, 10, 40], [0, 0.5, 1]))
    .filter((x) => x !== "fill");
  expect(Math.min(...xs)).toBe(20);
  expect(Math.max(...xs)).toBe(80);
});

test("nothing is drawn in a gap", () => {
  const areas = drawnCurve(counterOf([0, 10, 20, 40], [1, null, 2, null]))
    .join(" ").split("fill")
    .map((area) => [...new Set(area.trim().split(" "))]);
  expect(areas).toEqual([["20", "30"], ["40", "60"], [""]]);
  expect(seenRange(counterOf([0, 10, 20], [3, null, 5]), 12, 30))
    .toEqual({ min: 5, max: 5 });
  expect(drawnCurve(counterOf([0], [null]))).toEqual([]);
});

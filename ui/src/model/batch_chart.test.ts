// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  CHART_HEIGHT, drawBatch, drawStrip, lanesOf, middleOf, stepSpot,
} from "./batch_chart.ts";
import { indexSpots, type Spot } from "./serving.ts";

const spot = (first: number, start: number, end: number,
  more: Partial<Spot> = {}): Spot => ({ first, count: 1, start, end,
  kind: "decode", requests: 4, tokens: 4, row: first, chosen: false, ...more });
const SPOTS = [spot(0, 0, 40, { kind: "prefill", requests: 1, tokens: 999 }),
  spot(1, 50, 90, { chosen: true }),
  spot(2, 95, 100, { requests: null, tokens: null })];

class Recorder {
  fillStyle: string | CanvasGradient | CanvasPattern = "";
  globalAlpha = 1;
  rects: { x: number; y: number; w: number; h: number; alpha: number;
    colour: string }[] = [];
  clearRect(): void {}
  fillRect(x: number, y: number, w: number, h: number): void {
    this.rects.push({ x, y, w, h, alpha: this.globalAlpha,
      colour: String(this.fillStyle) });
  }
}

test("bars are as high as their values and stay in their lanes", () => {
  const lanes = lanesOf(SPOTS);
  const context = new Recorder();
  drawBatch(context, { spots: indexSpots(SPOTS), lanes,
    range: { t0: 0, t1: 100 }, width: 1000, theme: "light", faded: true });
  const bars = context.rects.filter((one) => one.w < 1000);
  expect(bars).toHaveLength(6);
  const [first, tokens, fuller, , unknown] = bars as [typeof bars[0],
    ...typeof bars];
  // Four requests are four times as high as one; the most fills its lane.
  expect(fuller!.h).toBeCloseTo(4 * first!.h);
  expect(fuller!.y).toBeCloseTo(lanes[0]!.top);
  expect(tokens!.y).toBeCloseTo(lanes[1]!.top);
  expect(unknown!.h).toBe(2);
  for (const { y, h } of bars) expect(y + h).toBeLessThan(CHART_HEIGHT);
  // Those of others step back, and each kind has its colour.
  expect(bars.map((one) => one.alpha < 1))
    .toEqual([true, true, false, false, true, true]);
  expect(first!.colour).not.toBe(fuller!.colour);
});

test("a strip covers the iterations", () => {
  const context = new Recorder();
  drawStrip(context, indexSpots(SPOTS), { t0: 0, t1: 100 }, 100,
    { top: 3, height: 9 }, "dark");
  expect(context.rects.map(({ x, y, w }) => [x, y, w]))
    .toEqual([[0, 3, 39], [50, 3, 39], [95, 3, 4]]);
});

test("arrows move along the iterations that are seen", () => {
  const range = { t0: 45, t1: 99 };
  expect(stepSpot(SPOTS, range, null, 1)?.first).toBe(1);
  expect(stepSpot(SPOTS, range, null, -1)?.first).toBe(2);
  expect(stepSpot(SPOTS, range, 1, 1)?.first).toBe(2);
  expect(stepSpot(SPOTS, range, 2, 1)?.first).toBe(2);
  expect(stepSpot(SPOTS, range, 0, 1)?.first).toBe(1);
  expect(stepSpot([], range, null, 1)).toBeNull();
  expect(middleOf(SPOTS[1]!, { t0: 0, t1: 100 }, 1000)).toBe(700);
});

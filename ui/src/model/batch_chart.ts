// SPDX-License-Identifier: Apache-2.0
//
// Where the batch chart draws: a ruler, requests in the batch, and tokens of
// each iteration, one below the other.
import { ITERATIONS } from "../generated/looks.ts";
import { timeToX, type Range } from "./axis.ts";
import { groundOf, hueOf, lookOf, type ThemeName } from "./palette.ts";
import {
  countTicks, hasIteration, linear, logarithmic, powerTicks, type Spot,
  type SpotIndex,
} from "./serving.ts";
import { mostOf } from "./shares.ts";

const RULER = 20;
const LANE = 62;
const GAP = 12;

/** One of the two charts below each other. */
export interface Lane {
  key: "requests" | "tokens";
  title: string;
  top: number;
  most: number;
  ticks: { value: number; y: number }[];
}

export const CHART_HEIGHT = RULER + 2 * LANE + GAP + 4;

function laneOf(key: Lane["key"], title: string, top: number, most: number,
  ticks: number[]): Lane {
  return { key, title, top, most, ticks: ticks.map((value) =>
    ({ value, y: top + LANE * (1 - heightOf(key, value, most)) })) };
}

const heightOf = (key: Lane["key"], value: number, most: number) =>
  Math.min(1, (key === "requests" ? linear : logarithmic)(value, most));

export function lanesOf(spots: readonly Spot[]): Lane[] {
  const requests = mostOf(spots.map((one) => one.requests ?? 0));
  const tokens = mostOf(spots.map((one) => one.tokens ?? 0));
  return [
    laneOf("requests", "Requests in the batch", RULER, requests,
      countTicks(requests)),
    laneOf("tokens", "Tokens, logarithmic", RULER + LANE + GAP, tokens,
      powerTicks(tokens)),
  ];
}

/** What is not known is a line at the bottom. */
const UNKNOWN_HEIGHT = 2;
const FADED = 0.22;
/** Bars this wide stand apart from each other. */
const APART = 3;

/** A canvas with as many pixels as the screen has there. */
export function sized(canvas: HTMLCanvasElement, width: number)
  : CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(CHART_HEIGHT * ratio);
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  return context;
}

type Context = Pick<CanvasRenderingContext2D, "fillRect" | "fillStyle" |
  "globalAlpha" | "clearRect">;

interface Drawn {
  spots: SpotIndex;
  lanes: Lane[];
  range: Range;
  width: number;
  theme: ThemeName;
  /** Those that are not of the chosen request step back. */
  faded: boolean;
}

export function drawBatch(context: Context,
  { spots, lanes, range, width, theme, faded }: Drawn): void {
  context.clearRect(0, 0, width, CHART_HEIGHT);
  for (const { top, ticks } of lanes) {
    context.fillStyle = groundOf("line", theme);
    for (const { y } of ticks) context.fillRect(0, Math.round(y), width, 1);
    context.fillRect(0, top + LANE, width, 1);
  }
  const colours = new Map<string, string>();
  spots.seen(range, width, 1, (spot, x0, x1) => {
    let colour = colours.get(spot.kind);
    if (!colour)
      colours.set(spot.kind,
        colour = hueOf(lookOf(ITERATIONS, spot.kind).hue, theme));
    context.fillStyle = colour;
    context.globalAlpha = faded && !spot.chosen ? FADED : 1;
    const wide = x1 - x0 - (x1 - x0 > APART ? 1 : 0);
    for (const { key, top, most } of lanes) {
      const value = spot[key];
      const high = value === null ? UNKNOWN_HEIGHT
        : Math.max(1, heightOf(key, value, most) * LANE);
      context.fillRect(x0, top + LANE - high, wide, high);
    }
  });
  context.globalAlpha = 1;
}

/** The strip of iterations in a row of its own: for the minimap. */
export function drawStrip(context: Context, spots: SpotIndex, range: Range,
  width: number, place: { top: number; height: number }, theme: ThemeName)
  : void {
  spots.seen(range, width, 1, (spot, x0, x1) => {
    context.fillStyle = hueOf(lookOf(ITERATIONS, spot.kind).hue, theme);
    context.fillRect(x0, place.top, x1 - x0 - (x1 - x0 > APART ? 1 : 0),
      place.height);
  });
}

/** The middle of a spot, in pixels. */
export const middleOf = (spot: Spot, range: Range, width: number) =>
  timeToX(range, width, (spot.start + spot.end) / 2);

/** The next or previous spot that is seen, from one or from the edge. */
export function stepSpot(spots: readonly Spot[], range: Range,
  from: number | null, by: 1 | -1): Spot | null {
  const seen = spots.filter((one) =>
    one.end > range.t0 && one.start < range.t1);
  const at = from === null ? -1 : seen.findIndex((one) =>
    hasIteration(one, from));
  if (at < 0) return (by > 0 ? seen[0] : seen.at(-1)) ?? null;
  return seen[Math.max(0, Math.min(seen.length - 1, at + by))] ?? null;
}

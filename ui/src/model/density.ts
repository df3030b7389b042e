// SPDX-License-Identifier: Apache-2.0
//
// How high rows are: usual ones have room for names, dense ones show as many
// threads as a screen has lines for. Pure.
import { CURVES } from "../generated/looks.ts";
import type { TrackInfo, TrackKind } from "../generated/answers.ts";

export type Density = "normal" | "compact" | "dense";
export const DENSITIES: Density[] = ["normal", "compact", "dense"];
export const isDensity = (text: string | null | undefined)
  : text is Density => DENSITIES.includes(text as Density);
export const nextDensity = (density: Density): Density =>
  DENSITIES[(DENSITIES.indexOf(density) + 1) % DENSITIES.length]!;

/** A name is written into boxes of this height or more, in CSS pixels. */
export const LABEL_HEIGHT = 12;
/** The gutter has room for a name from this height of a row. */
export const NAME_HEIGHT = 13;

interface Sizes {
  group: number;
  /** Above and below the lanes of a track. */
  top: number;
  bottom: number;
  lane: number;
  /** One lane of a stream, and each where it has several. */
  stream: number;
  streams: number;
  stage: number;
  /** The why-idle strip under the first stream of a device. */
  strip: number;
  counter: number;
  foldedCounter: number;
  /** No track is lower. */
  least: number;
}
const SIZES: Record<Density, Sizes> = {
  normal: { group: 24, top: 4, bottom: 4, lane: 19, stream: 26, streams: 20,
    stage: 19, strip: 5, counter: 42, foldedCounter: 20, least: 27 },
  compact: { group: 20, top: 2, bottom: 2, lane: 9, stream: 13, streams: 13,
    stage: 13, strip: 4, counter: 24, foldedCounter: 15, least: 15 },
  dense: { group: 16, top: 1, bottom: 1, lane: 5, stream: 6, streams: 5,
    stage: 5, strip: 2, counter: 15, foldedCounter: 9, least: 7 },
};

export const groupHeight = (density: Density) => SIZES[density].group;

export const isSeries = (kind: TrackKind) => kind in CURVES;

/** Where a row's lanes are, from its top. */
export interface Shape {
  height: number;
  /** From the row's top to the first lane. */
  top: number;
  lanes: number;
  laneHeight: number;
  boxHeight: number;
  /** How high the why-idle strip is; 0: there is none. */
  strip: number;
}

/** `strip`: of a stream, whether it has the why-idle strip of its device. */
export function shapeOf(track: TrackInfo, folded: boolean, density: Density,
  strip: boolean): Shape {
  const sizes = SIZES[density];
  if (isSeries(track.kind))
    return { top: sizes.top, lanes: 0, laneHeight: 0, boxHeight: 0, strip: 0,
      height: folded ? sizes.foldedCounter : sizes.counter };
  const lanes = folded ? 1 : Math.max(1, track.depth);
  if (track.kind === "stream") {
    const laneHeight = lanes === 1 ? sizes.stream : sizes.streams;
    const air = sizes.top + (density === "normal" ? 1 : 0);
    return { top: air, lanes, laneHeight, boxHeight: laneHeight - 1,
      strip: strip ? sizes.strip : 0,
      height: strip ? stripOffset(air, lanes, laneHeight) + sizes.strip + air
        : air + lanes * laneHeight + air };
  }
  const alone = ["stage", "iterations", "path"].includes(track.kind);
  const laneHeight = alone ? sizes.stage : sizes.lane;
  return { top: sizes.top, lanes, laneHeight, boxHeight: laneHeight - 1,
    strip: 0, height: Math.max(sizes.least,
      sizes.top + lanes * laneHeight + sizes.bottom) };
}

/** From a row's top to its why-idle strip. */
export const stripOffset = (top: number, lanes: number, laneHeight: number) =>
  top + lanes * laneHeight + (laneHeight < LABEL_HEIGHT ? 0 : 2);

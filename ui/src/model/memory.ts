// SPDX-License-Identifier: Apache-2.0
//
// Curves of memory on one time axis. Pure.
import type { CounterSeries, TrackInfo } from "../api/types.ts";

/** "Place(gpu:0)" → "gpu:0". */
export function placeName(place: string): string {
  return /^Place\((.*)\)$/.exec(place)?.[1] ?? place;
}

/** "Memory Place(gpu:0)" → "Memory gpu:0". */
export function withPlace(name: string): string {
  return name.replace(/\bPlace\(([^()]*)\)/, "$1");
}

/** The memory tracks of a place; what was allocated comes first. */
export function tracksOfPlace(
  tracks: TrackInfo[], place: string): TrackInfo[] {
  const wanted = placeName(place).toLowerCase();
  const fits = (track: TrackInfo) =>
    [track.name, track.detail].some((text) =>
      text.toLowerCase().includes(wanted));
  const reserved = (track: TrackInfo) =>
    /reserved/i.test(track.name + track.detail) ? 1 : 0;
  return tracks.filter((track) => track.kind === "memory" && fits(track))
    .sort((a, b) => reserved(a) - reserved(b));
}

export interface CurveSeries {
  name: string;
  values: (number | null)[];
  colour: string;
  fill?: boolean;
}

/** Series over all their times; each keeps its value until its next one. */
export function curveOf(counters: CounterSeries[], names: string[]): {
  times: number[];
  series: CurveSeries[];
} {
  const times = [...new Set(counters.flatMap((one) => one.t))]
    .sort((a, b) => a - b);
  return {
    times,
    series: counters.map((counter, i) => {
      let at = -1;
      return {
        name: names[i] ?? "",
        colour: i === 0 ? "--c-copy" : "--text-3",
        fill: i === 0,
        values: times.map((time) => {
          while (at + 1 < counter.t.length && counter.t[at + 1]! <= time)
            at++;
          // The highest of a pixel: a peak must not be lost between two.
          if (at < 0) return null;
          return counter.t[at] === time ? counter.max[at]! : counter.last[at]!;
        }),
      };
    }),
  };
}

// SPDX-License-Identifier: Apache-2.0
//
// Curves of memory on one time axis. Pure.
import type {
  CounterSeries, GroupInfo, TrackInfo,
} from "../generated/answers.ts";
import { formatBytes } from "./format.ts";

/** "Place(gpu:0)" → "gpu:0". */
export function placeName(place: string): string {
  return /^Place\((.*)\)$/.exec(place)?.[1] ?? place;
}

/** "Memory Place(gpu:0)" → "Memory gpu:0". */
export function withPlace(name: string): string {
  return name.replace(/\bPlace\(([^()]*)\)/, "$1");
}

/** What was allocated on a place and what was reserved, by one process. */
export interface PlaceTracks {
  allocated: TrackInfo | null;
  reserved: TrackInfo | null;
  /** Processes that used the place. */
  processes: number;
}

/** The group of a process by its name in tables: its rank, or its number. */
export function groupOfProcess(
  groups: GroupInfo[], process: string | undefined): number | undefined {
  return process === undefined ? undefined : groups.find((group) =>
    process === (typeof group.rank === "number" ? `rank ${group.rank}`
      : `process ${group.pid}`))?.id;
}

/** Of several processes the chosen one, else that with most allocations. */
export function tracksOfPlace(tracks: TrackInfo[], place: string,
  group?: number): PlaceTracks {
  const named = (what: string) => tracks.filter((track) =>
    track.kind === "memory" && track.name.startsWith(what) &&
    (group === undefined || track.group === group) &&
    placeName(track.name.slice(what.length)) === placeName(place));
  const [allocated = null, ...others] = named("Memory ")
    .sort((a, b) => b.events - a.events);
  return {
    allocated,
    reserved: named("Reserved ").find((track) =>
      track.group === allocated?.group) ?? null,
    processes: others.length + (allocated ? 1 : 0),
  };
}

/**
 * How much of the peak the listed allocations are; empty: all of it, or it is
 * not known. `lossless`: every record of the trace was read.
 */
export function explainedText(facts: Record<string, number> | undefined,
  { steps, lossless }: { steps: boolean; lossless: boolean }): string {
  const { live_bytes: live, before_bytes: before, peak_bytes: peak } =
    facts ?? {};
  if (live === undefined || peak === undefined || !before) return "";
  const rest = !lossless ? "is not in the recording"
    : steps ? "was allocated before these steps began"
      : "was allocated before recording began";
  return `${formatBytes(live)} of the ${formatBytes(peak)} at the peak are ` +
    `listed; the rest ${rest}.`;
}

interface CurveSeries {
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

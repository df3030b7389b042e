// SPDX-License-Identifier: Apache-2.0
//
// The curve of a place's memory: the counters of its tracks, by pixel.
import { useMemo } from "preact/hooks";
import type { MemoryPlace, TrackInfo } from "../../generated/answers.ts";
import type { Series } from "../../charts/Curve.tsx";
import {
  curveOf, groupOfProcess, tracksOfPlace, type PlaceTracks,
} from "../../model/memory.ts";
import { useAnswer } from "../../state/load.ts";
import { trace } from "../../state/trace.ts";

export function memoryTracks(
  { place, process }: Pick<MemoryPlace, "place" | "process">): PlaceTracks {
  const { tracks = [], groups = [] } = trace.value?.info ?? {};
  return tracksOfPlace(tracks, place, groupOfProcess(groups, process));
}

/** The process that a track is of. */
export function groupName(track: TrackInfo | null): string {
  return trace.value?.info.groups.find((group) =>
    group.id === track?.group)?.name ?? "";
}

interface MemoryCurve {
  times: number[];
  series: Series[];
}

function useCounter(track: TrackInfo | null, px: number) {
  const open = trace.value;
  return useAnswer("counter", open && track
    ? { t: open.t, track: track.id, t0: 0, t1: open.info.span_ns, px }
    : null);
}

const NAMES = ["allocated by the program", "reserved by its allocator"];

/** At most two series: what was allocated, and what was reserved. */
export function useMemoryCurve(
  tracks: PlaceTracks, px: number): MemoryCurve | null {
  const first = useCounter(tracks.allocated, px);
  const second = useCounter(tracks.reserved, px);
  const a = first.state === "ready" ? first.value : null;
  const b = second.state === "ready" ? second.value : null;
  return useMemo(() => a && curveOf(
    [a, ...(b ? [b] : [])], NAMES), [a, b]);
}

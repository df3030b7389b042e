// SPDX-License-Identifier: Apache-2.0
//
// The curve of a place's memory: the counters of its tracks, by pixel.
import { useMemo } from "preact/hooks";
import type { CounterSeries, TrackInfo } from "../../api/types.ts";
import type { Series } from "../../charts/Curve.tsx";
import { curveOf, tracksOfPlace } from "../../model/memory.ts";
import { useAnswer } from "../../state/load.ts";
import { trace } from "../../state/trace.ts";

export function memoryTracks(place: string): TrackInfo[] {
  return tracksOfPlace(trace.value?.info.tracks ?? [], place);
}

export interface MemoryCurve {
  times: number[];
  series: Series[];
}

function useCounter(track: TrackInfo | undefined, px: number) {
  const open = trace.value;
  return useAnswer<CounterSeries>("counter", open && track
    ? { t: open.t, track: track.id, t0: 0, t1: open.info.span_ns, px }
    : null);
}

const NAMES = ["allocated by the program", "reserved by its allocator"];

/** At most two series: what was allocated, and what was reserved. */
export function useMemoryCurve(
  tracks: TrackInfo[], px: number): MemoryCurve | null {
  const first = useCounter(tracks[0], px);
  const second = useCounter(tracks[1], px);
  const a = first.state === "ready" ? first.value : null;
  const b = second.state === "ready" ? second.value : null;
  return useMemo(() => a && curveOf(
    [a, ...(b ? [b] : [])], NAMES), [a, b]);
}

// SPDX-License-Identifier: Apache-2.0
//
// Whose busy time the minimap shows: that of the first device, or, where no
// device worked, that of the host's threads. Pure.
import type { TraceInfo } from "../generated/answers.ts";

export type BusySource =
  | { of: "device"; track: number }
  /** A device without a curve of its own (in a preview): by its boxes. */
  | { of: "streams"; tracks: number[] }
  | { of: "host" }
  | { of: "nothing" };

export function busySource(info: Pick<TraceInfo, "tracks" | "preview">)
  : BusySource {
  const busy = info.tracks.find((track) => track.kind === "busy");
  if (busy) return { of: "device", track: busy.id };
  const first = info.tracks.find((track) => track.kind === "stream");
  if (first)
    return { of: "streams", tracks: info.tracks
      .filter((track) => track.kind === "stream" &&
        track.group === first.group).map((track) => track.id) };
  // A preview has no curves.
  return !info.preview && info.tracks.some((track) => track.kind === "thread")
    ? { of: "host" } : { of: "nothing" };
}

export function busyTitle(source: BusySource): string {
  switch (source.of) {
    case "device":
    case "streams": return "GPU busy, whole window";
    case "host": return "Host busy, whole window";
    case "nothing": return "Whole window";
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// What the map of memory shows, asked anew when the view has come to rest. What
// was there stays until then, where it belongs.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type {
  CounterSeries, MemoryArea, MemoryMapInfo,
} from "../../generated/answers.ts";
import type { Range } from "../../model/axis.ts";
import {
  decodeBoxes, type Boxes, type BoxWindow,
} from "../../model/memory_map.ts";
import { api } from "../../state/api.ts";
import { errorText } from "../../state/load.ts";
import { trace } from "../../state/trace.ts";

/** While a view moves, it is not asked for with every frame. */
const REST_MS = 50;

interface Asked {
  place: MemoryMapInfo;
  by: string;
  range: Range;
  addresses: Range;
  width: number;
  height: number;
  /** Of what was reserved; null: the trace has none. */
  reservedTrack: number | null;
}
interface MapData {
  area: MemoryArea | null;
  reserved: CounterSeries | null;
  boxes: Boxes | null;
  error: string;
  /** All that is shown is of what was asked last. */
  fresh: boolean;
}

export function useMapData(asked: Asked | null): MapData {
  const data = useSignal<MapData>({ area: null, reserved: null, boxes: null,
    error: "", fresh: false });
  const t = trace.value?.t ?? "";
  const key = asked
    ? JSON.stringify({ ...asked, t, place: asked.place.id }) : "";
  useEffect(() => {
    if (!asked) return;
    const stop = new AbortController();
    data.value = { ...data.value, fresh: false };
    const timer = setTimeout(() => {
      const times = { t, t0: Math.floor(asked.range.t0),
        t1: Math.ceil(asked.range.t1) };
      const place = { ...times, place: asked.place.id, by: asked.by };
      const window: BoxWindow = { t0: times.t0, t1: times.t1,
        low: Math.floor(asked.addresses.t0),
        high: Math.ceil(asked.addresses.t1),
        px: Math.max(1, asked.width), py: Math.max(1, asked.height) };
      Promise.all([
        api.get("memory_area", { ...place, px: asked.width }, stop.signal),
        asked.reservedTrack === null ? null : api.get("counter",
          { ...times, track: asked.reservedTrack, px: asked.width },
          stop.signal),
        api.bytes("memory_boxes", { ...place, low: window.low,
          high: window.high, px: window.px, py: window.py }, stop.signal),
      ]).then(([area, reserved, bytes]) => {
        data.value = { area, reserved, boxes: decodeBoxes(bytes, window),
          error: "", fresh: true };
      }, (error) => {
        if (!stop.signal.aborted)
          data.value = { ...data.value, error: errorText(error) };
      });
    }, data.value.area ? REST_MS : 0);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key]);
  return data.value;
}

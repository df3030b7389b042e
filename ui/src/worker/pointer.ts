// SPDX-License-Identifier: Apache-2.0
//
// What is under the pointer, from the tiles that are drawn.
import type { TraceInfo } from "../generated/answers.ts";
import { xToTime } from "../model/axis.ts";
import { hitTile, joinParts } from "../model/hit.ts";
import {
  isSeries, laneAt, rowAt, stripTop, type TrackRow,
} from "../model/layout.ts";
import { countOf, depthOf, fillOf, nameOf, ONE_EVENT, rowOf, slotOf, UNITS,
  widthOf, xOf, lowerBound } from "../model/records.ts";
import { tileLength } from "../model/tiles.ts";
import { sampleAt, type Stages } from "./curves.ts";
import type { NameStore } from "./names.ts";
import type { PathTrack } from "./path_track.ts";
import { RULER_HEIGHT, type HitAnswer, type ListedEvent } from "./protocol.ts";
import type { Scene } from "./scene.ts";
import type { SeriesStore } from "./series.ts";
import type { TileStore } from "./tiles.ts";

/** How far beside a box still hits it, in CSS pixels. */
const SLACK = 3;

/** The answer where nothing is, or nothing is drawn yet. */
export const nothing = (): HitAnswer => ({ event: null, value: null,
  idle: null, stage: null, piece: null, iteration: null });

export function findHit(scene: Scene, x: number, y: number, info: TraceInfo,
  tiles: TileStore, series: SeriesStore, stages: Stages, path: PathTrack,
  names: NameStore): HitAnswer {
  const { view } = scene;
  const answer = nothing();
  if (y < RULER_HEIGHT) return answer;
  const at = y - RULER_HEIGHT + view.scroll;
  const row = rowAt(scene.layout, at);
  if (!row || row.type !== "track") return answer;
  const time = xToTime(view, view.width, x);
  if (isSeries(row.kind)) {
    if (time < 0 || time > info.span_ns) return answer;
    const data = series.counter(row.track);
    const n = data ? sampleAt(data.t, time) : -1;
    if (data && n >= 0)
      answer.value = { track: row.track, time, value: data.last[n]! };
    return answer;
  }
  if (row.kind === "stage") {
    answer.stage = stages.get(row.track)?.at(time) ?? null;
    return answer;
  }
  if (row.kind === "path") {
    answer.piece = path.at(time);
    return answer;
  }
  if (row.kind === "iterations") {
    answer.iteration = series.iterations(row.track)?.at(time) ?? null;
    return answer;
  }
  const lane = laneAt(row, at);
  if (lane < 0) {
    answer.idle = idleAt(row, at, time, series);
    return answer;
  }
  const slack = (SLACK * (view.t1 - view.t0)) / view.width;
  const track = scene.tracks.find((one) => one.row.track === row.track);
  const piece = track?.pieces.find((one) => time >= one.t0 && time < one.t1);
  const found = piece && hitTile(piece.tile, row.track, lane, time, slack);
  if (!piece || !found) return answer;
  const hit = joinParts(found.hit, piece.tile, found.n,
    (k, i) => tiles.get(row.track, k, i));
  const name = names.get(hit.name);
  names.flush();
  answer.event = {
    ...hit, text: name?.full ?? "", short: name?.short ?? "",
    className: info.classes[hit.class] ?? "",
  };
  return answer;
}

function idleAt(row: TrackRow, y: number, time: number, series: SeriesStore)
  : HitAnswer["idle"] {
  const top = stripTop(row);
  if (row.strip === 0 || y < top - 2 || y > top + row.strip + 3)
    return null;
  for (const [start, dur, cause] of series.strip(row.track)?.parts ?? [])
    if (time >= start && time < start + dur)
      return { track: row.track, start, dur, cause };
  return null;
}

/** The boxes of a track that are seen, by time: for who cannot see them. */
export function listEvents(scene: Scene, track: number, most: number,
  names: NameStore): ListedEvent[] {
  const found = scene.tracks.find((one) => one.row.track === track);
  const events: ListedEvent[] = [];
  const seen = new Set<number>();
  for (let lane = 0; found && lane < found.row.lanes; lane++)
    for (const { tile, slot, t0, t1 } of found.pieces) {
      if (slot < 0) continue;
      const origin = tile.i * tileLength(tile.k);
      const unit = tileLength(tile.k) / UNITS;
      for (let n = lowerBound(tile, slot, lane, 0); n < tile.count; n++) {
        if (slotOf(tile, n) !== slot || depthOf(tile, n) !== lane) break;
        const start = origin + xOf(tile, n) * unit;
        const end = start + widthOf(tile, n) * unit;
        if (end < Math.max(t0, scene.view.t0)) continue;
        if (start > Math.min(t1, scene.view.t1)) break;
        const row = rowOf(tile, n);
        if (seen.has(row)) continue;
        seen.add(row);
        if (events.length >= most) return events;
        const one = fillOf(tile, n) === ONE_EVENT;
        events.push({ row, start, end, count: one ? 1 : countOf(tile, n),
          text: names.get(nameOf(tile, n))?.short ?? "" });
      }
    }
  return events;
}

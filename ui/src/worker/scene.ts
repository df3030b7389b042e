// SPDX-License-Identifier: Apache-2.0
//
// What of the cache is drawn where: for each visible track, the pieces of
// tiles that cover the view. Both back ends read this.
import type { Range } from "../model/axis.ts";
import { rowsIn, hasTiles, type Layout, type TrackRow } from
  "../model/layout.ts";
import { slotOfTrack, type Tile } from "../model/records.ts";
import { levelFor, standIns, tilesFor, type Levels, type Span } from
  "../model/tiles.ts";
import type { Columns } from "./columns.ts";
import { RULER_HEIGHT, type View } from "./protocol.ts";
import type { TileStore } from "./tiles.ts";

export interface ScenePiece extends Range {
  tile: Tile;
  slot: number;
}
export interface SceneTrack {
  row: TrackRow;
  pieces: ScenePiece[];
}
export interface Scene {
  view: View;
  /** Where its times are in the picture, in device pixels. */
  columns: Columns;
  layout: Layout;
  span: Span;
  tracks: SceneTrack[];
  /** Wanted tiles that were drawn from another level, and not at all. */
  coarse: number;
  blank: number;
}

export function visibleTracks(layout: Layout, view: View): TrackRow[] {
  return rowsIn(layout, view.scroll, view.height - RULER_HEIGHT)
    .filter((row) => row.type === "track");
}

export function spanOf(view: View, levels: Levels, traceSpan: number): Span {
  const k = levelFor(view, view.width * view.ratio, levels);
  return tilesFor(view, k, traceSpan);
}

export function makeScene(view: View, columns: Columns, layout: Layout,
  store: TileStore, levels: Levels, traceSpan: number): Scene {
  const span = spanOf(view, levels, traceSpan);
  const scene: Scene =
    { view, columns, layout, span, tracks: [], coarse: 0, blank: 0 };
  for (const row of visibleTracks(layout, view)) {
    if (!hasTiles(row.kind)) continue;
    const pieces: ScenePiece[] = [];
    for (let i = span.i0; i <= span.i1; i++) {
      const found = standIns(span.k, i, levels,
        (k, j) => store.get(row.track, k, j));
      if (found.length === 0) scene.blank++;
      else if (found[0]!.k !== span.k) scene.coarse++;
      for (const { tile, t0, t1 } of found) {
        store.touch(tile);
        pieces.push({ tile, slot: slotOfTrack(tile, row.track), t0, t1 });
      }
    }
    scene.tracks.push({ row, pieces });
  }
  return scene;
}

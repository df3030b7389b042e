// SPDX-License-Identifier: Apache-2.0
//
// Scenes for tests: one track with given tiles.
import type { TrackRow } from "../model/layout.ts";
import type { Tile } from "../model/records.ts";
import { tileLength } from "../model/tiles.ts";
import { columnsOf } from "./columns.ts";
import type { Scene } from "./scene.ts";

export function sampleScene(tiles: Tile[], view: { t0: number; t1: number;
  width: number; }, lanes = 1, laneHeight = 10): Scene {
  const row: TrackRow = {
    type: "track", track: 0,
          group: 0, kind: "thread", name: "t", detail: "", unit: "",
    pinned: false, folded: false, y: 0, height: laneHeight * lanes, top: 0,
    lanes, laneHeight, boxHeight: laneHeight, strip: 0,
  };
  return {
    view: { ...view, height: 26 + laneHeight * lanes, scroll: 0, ratio: 1 },
    columns: columnsOf(view, view.width),
    layout: { rows: [row], height: row.height },
    span: { k: tiles[0]!.k, i0: tiles[0]!.i, i1: tiles[0]!.i },
    coarse: 0, blank: 0,
    tracks: [{ row, pieces: tiles.map((tile) => ({ tile, slot: 0,
      t0: tile.i * tileLength(tile.k),
      t1: (tile.i + 1) * tileLength(tile.k) })) }],
  };
}

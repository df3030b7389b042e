// SPDX-License-Identifier: Apache-2.0
//
// Boxes that are wide enough for a name. A box that tile borders cut is one
// label: its parts follow each other on the lane and have one row. Pure.
import {
  depthOf, lowerBound, nameOf, ONE_EVENT, fillOf,
  rowOf, slotOf, UNITS, widthOf, xOf,
} from "../model/records.ts";
import { LABEL_HEIGHT } from "../model/density.ts";
import { tileLength } from "../model/tiles.ts";
import type { SceneTrack } from "./scene.ts";
import type { View } from "./protocol.ts";

export interface Label {
  x0: number;
  x1: number;
  y: number;
  height: number;
  name: number;
}
/** Narrower boxes have no name, in CSS pixels. */
export const LABEL_WIDTH = 30;

/** Labels of one track, in CSS pixels, y from the top of all rows. */
export function labelsOf(track: SceneTrack, view: View,
  put: (label: Label) => void): void {
  const { row, pieces } = track;
  if (row.boxHeight < LABEL_HEIGHT) return;
  const scale = view.width / (view.t1 - view.t0);
  for (let lane = 0; lane < row.lanes; lane++) {
    const y = row.y + row.top + lane * row.laneHeight;
    let open = false;
    let openRow = 0;
    let x0 = 0;
    let x1 = 0;
    let name = 0;
    const flush = () => {
      open = false;
      const left = Math.max(0, x0);
      const right = Math.min(view.width, x1);
      if (right - left >= LABEL_WIDTH)
        put({ x0: left, x1: right, y, height: row.boxHeight, name });
    };
    for (const { tile, slot, t0, t1 } of pieces) {
      if (slot < 0) continue;
      const origin = tile.i * tileLength(tile.k);
      const unit = tileLength(tile.k) / UNITS;
      // Widths of interest, in units: most records are left by one compare.
      const least = open ? 0 : (LABEL_WIDTH / scale / unit) * 0.25;
      const from = Math.max(0, Math.floor((Math.max(t0, view.t0) - origin) /
        unit));
      let n = lowerBound(tile, slot, lane, from);
      // The box before may reach into the range.
      if (n > 0 && slotOf(tile, n - 1) === slot &&
        depthOf(tile, n - 1) === lane) n--;
      for (; n < tile.count; n++) {
        if (slotOf(tile, n) !== slot || depthOf(tile, n) !== lane) break;
        const width = widthOf(tile, n);
        const joined = open && rowOf(tile, n) === openRow;
        if (width < least && !open) continue;
        const start = origin + xOf(tile, n) * unit;
        const end = start + width * unit;
        if (start >= t1 || start >= view.t1) break;
        if (end <= t0) continue;
        // Only the part of a stand-in that is in its place counts.
        const left = (Math.max(start, t0) - view.t0) * scale;
        const right = (Math.min(end, t1) - view.t0) * scale;
        if (joined) {
          x1 = right;
          continue;
        }
        if (open) flush();
        if (fillOf(tile, n) !== ONE_EVENT) continue;
        open = true;
        openRow = rowOf(tile, n);
        x0 = left;
        x1 = right;
        name = nameOf(tile, n);
      }
    }
    if (open) flush();
  }
}

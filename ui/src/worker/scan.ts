// SPDX-License-Identifier: Apache-2.0
//
// The back end without a GPU: boxes are written into an image, a lane at a
// time. One line of pixels is made for the boxes of a lane, one for the tints
// of marks, one with the height of each column; then the lane is composed.
import { rowsIn, type TrackRow } from "../model/layout.ts";
import { SHADES } from "../model/palette.ts";
import {
  classOf, depthOf, ENDS_AFTER, fillOf, flagsOf, lowerBound, MIXED, nameOf,
  ONE_EVENT, slotOf, UNITS, widthOf, xOf,
} from "../model/records.ts";
import { tileLength } from "../model/tiles.ts";
import { shadeOf, type Paints } from "./paints.ts";
import type { Scene, ScenePiece } from "./scene.ts";

/** Boxes of so many pixels are written by a loop. */
const SHORT = 16;

/** The height of a column without a mark: whatever the lane's is. */
const FULL = 255;

export interface Backdrop {
  /** Device pixels of the lines that go through all tracks. */
  grid: number[];
  steps: number[];
}

export class Scan {
  boxes = 0;
  private width = 0;
  private height = 0;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private ground = new Uint32Array(0);
  private solid = new Uint32Array(0);
  private tint = new Uint32Array(0);
  /** How much of a column's mark is busy, in pixels. */
  private heights = new Uint8Array(0);
  private line = new Uint32Array(0);
  private columns = new Int32Array(0);
  /** Lines of the picture that a lane has written. */
  private composed = new Uint8Array(0);
  private readonly begins = new Int32Array(FULL + 2);
  private anyMark = false;

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, Math.max(1, height));
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.ground = new Uint32Array(width);
    this.solid = new Uint32Array(width);
    this.tint = new Uint32Array(width);
    this.heights = new Uint8Array(width);
    this.line = new Uint32Array(width);
    this.columns = new Int32Array(width);
    this.composed = new Uint8Array(Math.max(1, height));
  }

  /** Draws all tracks; `ratio` is device pixels per CSS pixel. */
  draw(scene: Scene, paints: Paints, backdrop: Backdrop, ratio: number,
    name: number | null): ImageData {
    this.boxes = 0;
    this.ground.fill(paints.page);
    for (const x of backdrop.grid) this.ground[x] = paints.grid;
    for (const x of backdrop.steps) this.ground[x] = paints.step;
    this.composed.fill(0);
    for (const track of scene.tracks)
      for (let lane = 0; lane < track.row.lanes; lane++)
        this.drawLane(scene, track.row, lane, track.pieces, paints, ratio,
          name);
    // Lanes are most of the picture: no line is written twice.
    for (let y = 0; y < this.height; y++)
      if (this.composed[y] === 0)
        this.pixels.set(this.ground, y * this.width);
    this.drawRows(scene, paints, ratio);
    return this.image!;
  }

  private fillRows(y0: number, y1: number, colour: number): void {
    const from = Math.max(0, Math.round(y0));
    const to = Math.min(this.height, Math.round(y1));
    if (to > from)
      this.pixels.fill(colour, from * this.width, to * this.width);
  }

  private drawRows(scene: Scene, paints: Paints, ratio: number): void {
    const { scroll } = scene.view;
    for (const row of rowsIn(scene.layout, scroll, this.height / ratio)) {
      const top = (row.y - scroll) * ratio;
      const bottom = (row.y + row.height - scroll) * ratio;
      if (row.type === "group") this.fillRows(top, bottom, paints.group);
      this.fillRows(bottom - 1, bottom, paints.line);
    }
  }

  private drawLane(scene: Scene, row: TrackRow, lane: number,
    pieces: ScenePiece[], paints: Paints, ratio: number,
    name: number | null): void {
    const top = Math.round(
      (row.y + row.top + lane * row.laneHeight - scene.view.scroll) * ratio);
    const height = Math.round(row.boxHeight * ratio);
    if (top + height <= 0 || top >= this.height) return;
    this.solid.set(this.ground);
    this.anyMark = false;
    const before = this.boxes;
    for (const piece of pieces)
      if (piece.slot >= 0)
        this.drawPiece(scene, piece, lane, paints, height, name);
    if (this.boxes === before) return;
    this.compose(top, height);
  }

  private drawPiece(scene: Scene, piece: ScenePiece, lane: number,
    paints: Paints, height: number, name: number | null): void {
    const { tile, slot } = piece;
    const { view } = scene;
    const { solid, tint: tints, heights } = this;
    const scale = this.width / (view.t1 - view.t0);
    const origin = tile.i * tileLength(tile.k);
    const unit = tileLength(tile.k) / UNITS;
    const t0 = Math.max(piece.t0, view.t0);
    const t1 = Math.min(piece.t1, view.t1);
    if (t1 <= t0) return;
    const least = Math.max(0, Math.round((t0 - view.t0) * scale));
    const most = Math.min(this.width, Math.round((t1 - view.t0) * scale));
    const from = Math.max(0, Math.floor((t0 - origin) / unit));
    const until = (t1 - origin) / unit;
    const toX = unit * scale;
    const shift = (origin - view.t0) * scale;
    let n = lowerBound(tile, slot, lane, from);
    if (n > 0 && slotOf(tile, n - 1) === slot && depthOf(tile, n - 1) === lane)
      n--;
    for (; n < tile.count; n++) {
      if (slotOf(tile, n) !== slot || depthOf(tile, n) !== lane) break;
      const x = xOf(tile, n);
      if (x >= until) break;
      const begin = Math.round(shift + x * toX);
      let end = Math.round(shift + (x + widthOf(tile, n)) * toX);
      const flags = flagsOf(tile, n);
      if (end - begin > 2 && !(flags & ENDS_AFTER)) end--;
      if (end <= begin) end = begin + 1;
      const x0 = Math.max(begin, least);
      const x1 = Math.min(end, most);
      if (x1 <= x0) continue;
      this.boxes++;
      const fill = fillOf(tile, n);
      const id = nameOf(tile, n);
      const at = classOf(tile, n) * SHADES + shadeOf(id);
      const dimmed = name !== null && id !== name;
      const tint = paints.tint[at]!;
      const colour = dimmed ? tint : paints.box[at]!;
      if (fill === ONE_EVENT) {
        // Short ones by a loop: a call takes longer than they do.
        if (x1 - x0 > SHORT) {
          solid.fill(colour, x0, x1);
          if (this.anyMark) heights.fill(FULL, x0, x1);
        } else
          for (let i = x0; i < x1; i++) {
            solid[i] = colour;
            heights[i] = FULL;
          }
        continue;
      }
      if (!this.anyMark) {
        this.anyMark = true;
        heights.fill(FULL);
      }
      const high = Math.max(1, Math.round((fill / 254) * height));
      const hatched = (flags & MIXED) !== 0 && !dimmed;
      // A mark is a pixel or two: a loop is quicker than three calls.
      for (let i = x0; i < x1; i++) {
        tints[i] = tint;
        heights[i] = high;
        solid[i] = hatched && (i & 3) === 0 ? paints.hatch : colour;
      }
    }
  }

  /** Writes the lane's lines, from the top: each has what the last had. */
  private compose(top: number, height: number): void {
    const { width, solid, pixels, line } = this;
    const last = Math.min(height, this.height - top);
    this.composed.fill(1, Math.max(0, top), top + last);
    if (!this.anyMark) {
      for (let y = Math.max(0, -top); y < last; y++)
        pixels.set(solid, (top + y) * width);
      return;
    }
    const begins = this.sortColumns(height);
    for (let y = 0; y < last; y++) {
      const high = height - y;
      for (let n = begins[high - 1]!; n < begins[high]!; n++)
        line[this.columns[n]!] = solid[this.columns[n]!]!;
      if (top + y >= 0) pixels.set(line, (top + y) * width);
    }
  }

  /**
   * Columns by how high their bar is: those of height h are from the result's
   * [h - 1] to its [h]. The line starts with bars where they are full, tints
   * elsewhere.
   */
  private sortColumns(height: number): Int32Array {
    const { width, heights, line, solid, tint, columns, begins } = this;
    begins.fill(0, 0, height + 2);
    for (let x = 0; x < width; x++) {
      const high = heights[x]!;
      line[x] = high === FULL ? solid[x]! : tint[x]!;
      if (high <= height) begins[high + 1]!++;
    }
    for (let h = 1; h <= height + 1; h++) begins[h]! += begins[h - 1]!;
    for (let x = 0; x < width; x++) {
      const high = heights[x]!;
      if (high <= height) columns[begins[high]!++] = x;
    }
    return begins;
  }
}

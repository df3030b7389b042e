// SPDX-License-Identifier: Apache-2.0
//
// The back end without a GPU: boxes are written into an image, a lane at a
// time. One line of pixels is made for the boxes of a lane, one for the tints
// of marks, one with the height of each column; then the lane is composed.
import { rowsIn, type TrackRow } from "../model/layout.ts";
import { SHADES } from "../model/palette.ts";
import {
  CLASS_MASK, depthOf, ENDS_AFTER, lowerBound, NO_NAME, ONE_EVENT, slotOf,
  UNITS,
} from "../model/records.ts";
import { tileLength } from "../model/tiles.ts";
import { shadeOf, type Paints } from "./paints.ts";
import type { Scene, ScenePiece } from "./scene.ts";

/** Boxes of so many pixels are written by a loop. */
const SHORT = 16;

/** The height of a column without a mark: whatever the lane's is. */
const FULL = 255;

/** Ends of boxes further off than this are all alike, in pixels. */
const FAR = 8;

const NO_SHADE = shadeOf(NO_NAME);
const shadesByNames = new WeakMap<Uint32Array, Uint8Array>();

/** Shades by index in an answer's names: made once, asked for by each box. */
function shadesOfNames(names: Uint32Array): Uint8Array {
  let shades = shadesByNames.get(names);
  if (!shades) {
    shades = Uint8Array.from(names, shadeOf);
    shadesByNames.set(names, shades);
  }
  return shades;
}

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
  private readonly bars = new Uint8Array(256);
  private barsHeight = -1;
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
    const end = lowerBound(tile, slot, lane,
      Math.min(UNITS, Math.ceil(until)));
    const { u32 } = tile;
    const shades = shadesOfNames(tile.names);
    const { box, tint: light, hatch } = paints;
    const bars = this.barsOf(height);
    const [low, high] = [-FAR, this.width + FAR];
    let boxes = 0;
    const wanted = name === null ? -1 : tile.names.indexOf(name);
    // A record is read as the words that it is made of: see records.ts.
    for (let at = n * 4; at < end * 4; at += 4) {
      const place = u32[at]!;
      const look = u32[at + 2]!;
      const fill = (u32[at + 3]! >>> 16) & 255;
      const x = place & 0xffff;
      let left = shift + x * toX;
      let right = left + (place >>> 16) * toX;
      if (left < low) left = low;
      if (right > high) right = high;
      if (right < low) continue;
      // Rounded: what is above zero is cut to a whole number in no time.
      let x0 = (left + FAR + 0.5 | 0) - FAR;
      let x1 = (right + FAR + 0.5 | 0) - FAR;
      if (x1 - x0 > 2 && (look & ENDS_AFTER << 24) === 0) x1--;
      if (x1 <= x0) x1 = x0 + 1;
      if (x0 < least) x0 = least;
      if (x1 > most) x1 = most;
      if (x1 <= x0) continue;
      boxes++;
      const local = look & 0xffff;
      const paint = (look >>> 24 & CLASS_MASK) * SHADES +
        (local < shades.length ? shades[local]! : NO_SHADE);
      const dimmed = name !== null && local !== wanted;
      const colour = dimmed ? light[paint]! : box[paint]!;
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
      const hatched = look >>> 31 === 1 && !dimmed;
      // A mark is a pixel or two: a loop is quicker than three calls.
      for (let i = x0; i < x1; i++) {
        tints[i] = light[paint]!;
        heights[i] = bars[fill]!;
        solid[i] = hatched && (i & 3) === 0 ? hatch : colour;
      }
    }
    this.boxes += boxes;
  }

  /** The height of a mark's bar by its busy share. */
  private barsOf(height: number): Uint8Array {
    if (this.barsHeight !== height) {
      this.barsHeight = height;
      for (let fill = 0; fill < ONE_EVENT; fill++)
        this.bars[fill] = Math.max(1, Math.round((fill / 254) * height));
    }
    return this.bars;
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

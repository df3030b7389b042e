// SPDX-License-Identifier: Apache-2.0
//
// The back end without a GPU: boxes are written into an image. What the last
// picture has already is moved, not drawn again: a pan draws the columns that
// come in, a scroll the lines.
import { rowsIn } from "../model/layout.ts";
import { LanePainter, recordsIn, type Part } from "./lane.ts";
import type { Paints } from "./paints.ts";
import { repaintOf, type Drawn } from "./reuse.ts";
import type { Scene } from "./scene.ts";

export interface Backdrop {
  /** Device pixels of the lines that go through all tracks. */
  grid: number[];
  steps: number[];
}

export class Scan {
  private width = 0;
  private height = 0;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private readonly painter = new LanePainter();
  private drawn: Drawn | null = null;

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, Math.max(1, height));
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.painter.setPicture(this.pixels, width);
    this.drawn = null;
  }

  /** Boxes that are seen. */
  get boxes(): number {
    if (!this.drawn) return 0;
    const { scene } = this.drawn;
    let boxes = 0;
    for (const { row, pieces } of scene.tracks)
      for (let lane = 0; lane < row.lanes; lane++)
        for (const piece of pieces) {
          if (piece.slot < 0) continue;
          const [from, to] =
            recordsIn(piece, lane, scene.columns, 0, this.width);
          boxes += to - from;
        }
    return boxes;
  }

  /** Draws all tracks; `ratio` is device pixels per CSS pixel. */
  draw(scene: Scene, paints: Paints, backdrop: Backdrop, ratio: number,
    name: number | null): ImageData {
    const ground = new Uint32Array(this.width).fill(paints.page);
    for (const x of backdrop.grid) ground[x] = paints.grid;
    for (const x of backdrop.steps) ground[x] = paints.step;
    const next: Drawn = { scene, paints, ground, ratio, name,
      width: this.width, height: this.height };
    const { shift, parts } = repaintOf(this.drawn, next);
    // One move is enough: what it carries over an edge is painted anew.
    if (shift > 0) this.pixels.copyWithin(0, shift);
    else if (shift < 0) this.pixels.copyWithin(-shift, 0);
    this.drawn = next;
    for (const part of parts) this.paint(next, part);
    return this.image!;
  }

  private fill(part: Part, y0: number, y1: number, colour: number): void {
    const from = Math.max(part.y0, Math.round(y0));
    const to = Math.min(part.y1, Math.round(y1));
    for (let y = from; y < to; y++)
      this.pixels.fill(colour, y * this.width + part.x0,
        y * this.width + part.x1);
  }

  private paint({ scene, paints, ground, ratio, name }: Drawn, part: Part)
    : void {
    const { view, columns, layout } = scene;
    const under = ground.subarray(part.x0, part.x1);
    for (let y = part.y0; y < part.y1; y++)
      this.pixels.set(under, y * this.width + part.x0);
    for (const { row, pieces } of scene.tracks)
      for (let lane = 0; lane < row.lanes; lane++) {
        const top = Math.round(
          (row.y + row.top + lane * row.laneHeight - view.scroll) * ratio);
        this.painter.paint(pieces, lane, columns, top,
          Math.round(row.boxHeight * ratio), part, paints, name);
      }
    for (const row of rowsIn(layout, view.scroll, this.height / ratio)) {
      const top = (row.y - view.scroll) * ratio;
      const bottom = (row.y + row.height - view.scroll) * ratio;
      if (row.type === "group") this.fill(part, top, bottom, paints.group);
      this.fill(part, bottom - 1, bottom, paints.line);
    }
  }
}

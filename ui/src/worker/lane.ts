// SPDX-License-Identifier: Apache-2.0
//
// Boxes of one lane, written into a part of the picture. A box is columns of
// one colour; a mark is a tint with a bar in it as high as its busy share.
import { SHADES } from "../model/palette.ts";
import {
  CLASS_MASK, depthOf, ENDS_AFTER, lowerBound, NO_NAME, ONE_EVENT, slotOf,
  UNITS,
} from "../model/records.ts";
import { tileLength } from "../model/tiles.ts";
import { columnAt, type Columns } from "./columns.ts";
import { shadeOf, type Paints } from "./paints.ts";
import { Places } from "./places.ts";
import type { ScenePiece } from "./scene.ts";

/** A part of the picture: columns x0 to x1, lines y0 to y1. */
export interface Part {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** Boxes of more pixels are filled line by line. */
const SHORT = 12;

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

/** Records of a piece's lane that may be seen in columns of the picture. */
export function recordsIn({ tile, slot, t0, t1 }: ScenePiece, lane: number,
  { origin, scale, first }: Columns, x0: number, x1: number)
  : [from: number, to: number] {
  const unit = tileLength(tile.k) / UNITS;
  const start = tile.i * tileLength(tile.k);
  // A pixel more on both sides: ends are rounded.
  const left = Math.max(t0, origin + (first + x0 - 1) / scale);
  const right = Math.min(t1, origin + (first + x1 + 1) / scale);
  if (right <= left) return [0, 0];
  let from = lowerBound(tile, slot, lane,
    Math.max(0, Math.floor((left - start) / unit)));
  // The box before may reach into the range.
  if (from > 0 && slotOf(tile, from - 1) === slot &&
    depthOf(tile, from - 1) === lane) from--;
  return [from, lowerBound(tile, slot, lane,
    Math.min(UNITS, Math.ceil((right - start) / unit)))];
}

export class LanePainter {
  private pixels: Uint32Array = new Uint32Array(0);
  private width = 0;
  private readonly places = new Places();
  /** By a record's fill: how many lines are above the bar. */
  private readonly bars = new Int32Array(256);
  private barsKey = "";

  setPicture(pixels: Uint32Array, width: number): void {
    this.pixels = pixels;
    this.width = width;
  }

  /** For a lane of which lines are drawn from `skipped` on, `lines` of them. */
  private setBars(height: number, skipped: number, lines: number): void {
    const key = `${height}/${skipped}/${lines}`;
    if (key === this.barsKey) return;
    this.barsKey = key;
    for (let fill = 0; fill < ONE_EVENT; fill++) {
      const high = Math.max(1, Math.round((fill / 254) * height));
      this.bars[fill] =
        Math.min(lines, Math.max(0, height - high - skipped));
    }
    this.bars[ONE_EVENT] = 0;
  }

  /** `top` and `height` are those of the whole lane. */
  paint(pieces: readonly ScenePiece[], lane: number, columns: Columns,
    top: number, height: number, part: Part, paints: Paints,
    name: number | null): void {
    const y0 = Math.max(part.y0, top);
    const y1 = Math.min(part.y1, top + height);
    if (y1 <= y0) return;
    this.setBars(height, y0 - top, y1 - y0);
    this.places.setPart(columns, part.x0, part.x1);
    for (const piece of pieces) {
      if (piece.slot < 0) continue;
      const x0 = Math.max(part.x0,
        columnAt(columns, piece.t0) - columns.first);
      const x1 = Math.min(part.x1,
        columnAt(columns, piece.t1) - columns.first);
      if (x1 <= x0) continue;
      const [from, to] = recordsIn(piece, lane, columns, x0, x1);
      if (from < to)
        this.paintPiece(piece, from, to, columns.first,
          { x0, x1, y0, y1 }, paints, name);
    }
  }

  private paintPiece({ tile }: ScenePiece, from: number, to: number,
    first: number, part: Part, paints: Paints, name: number | null): void {
    const { pixels, width, bars } = this;
    const { box, tint, hatch } = paints;
    const { x0: least, x1: most, y0, y1 } = part;
    const { u32 } = tile;
    const places = this.places.of(tile);
    const shades = shadesOfNames(tile.names);
    const wanted = name === null ? -1 : tile.names.indexOf(name);
    const above = y0 * width;
    const lines = y1 - y0 | 0;
    // A record is read as the words that it is made of: see records.ts. What
    // differs from box to box by chance is counted, not asked: a branch that
    // is guessed wrong takes as long as the rest of the box. `| 0` spares a
    // check for numbers beyond 32 bits.
    for (let at = from * 4 | 0; at < to * 4; at = at + 4 | 0) {
      const place = u32[at]!;
      const look = u32[at + 2 | 0]!;
      const x = place & 0xffff;
      let x0 = places[x]!;
      // How much wider than a pixel it is, with a gap after what is over two.
      let more = places[x + (place >>> 16) | 0]! - x0 - 1 | 0;
      if (more > 1 && (look & ENDS_AFTER << 24) === 0) more = more - 1 | 0;
      let x1 = x0 + 1 + (more & ~(more >> 31)) | 0;
      if (x0 < least) x0 = least;
      if (x1 > most) x1 = most;
      if (x1 <= x0) continue;
      const fill = (u32[at + 3 | 0]! >>> 16) & 255;
      const local = look & 0xffff;
      const shade = local < shades.length ? shades[local]! : NO_SHADE;
      const paint = (look >>> 24 & CLASS_MASK) * SHADES + shade | 0;
      const light = tint[paint]!;
      const dimmed = name !== null && local !== wanted;
      const colour = dimmed ? light : box[paint]!;
      const mixed = dimmed ? 0 : look >>> 31 & fill - ONE_EVENT >>> 31;
      const bar = bars[fill]!;
      if ((x1 - x0 | 0) > SHORT) {
        this.fill(x0, x1, y0, y1, bar, light, colour);
        if (mixed) this.hatch(first, x0, x1, y0 + bar, y1, hatch);
        continue;
      }
      for (; x0 < x1; x0 = x0 + 1 | 0) {
        const grey = mixed & (x0 + first & 3) - 1 >>> 31;
        const solid = colour ^ ((colour ^ hatch) & -grey);
        const other = solid ^ light;
        let p = above + x0 | 0;
        for (let y = 0; y < lines; y = y + 1 | 0) {
          pixels[p] = solid ^ (other & y - bar >> 31);
          p = p + width | 0;
        }
      }
    }
  }

  private fill(x0: number, x1: number, y0: number, y1: number, bar: number,
    light: number, colour: number): void {
    const { pixels, width } = this;
    for (let y = y0; y < y1; y++)
      pixels.fill(y < y0 + bar ? light : colour, y * width + x0,
        y * width + x1);
  }

  private hatch(first: number, x0: number, x1: number, y0: number, y1: number,
    colour: number): void {
    const { pixels, width } = this;
    for (let x = x0; x < x1; x++)
      if ((x + first & 3) === 0)
        for (let y = y0; y < y1; y++) pixels[y * width + x] = colour;
  }
}

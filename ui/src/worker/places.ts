// SPDX-License-Identifier: Apache-2.0
//
// The column of every place in a tile. All tracks share it, so that no box
// needs its own multiplication and rounding.
import { UNITS, type Tile } from "../model/records.ts";
import { tileLength } from "../model/tiles.ts";
import type { Columns } from "./columns.ts";

/** A box begins in its tile, and may end as far behind it as it is long. */
const PLACES = 2 * UNITS;
/** Places further off than this are all alike, in pixels. */
const FAR = 8;

interface Table {
  k: number;
  i: number;
  columns: Int16Array;
}

export class Places {
  private readonly tables: Table[] = [];
  private used = 0;
  private columns: Columns | null = null;
  private x0 = 0;
  private x1 = 0;

  /** What is painted next: columns x0 to x1 of a picture. */
  setPart(columns: Columns, x0: number, x1: number): void {
    if (columns === this.columns && x0 === this.x0 && x1 === this.x1) return;
    this.columns = columns;
    this.x0 = x0;
    this.x1 = x1;
    this.used = 0;
  }

  /** Columns of the picture by place, right within those that are painted. */
  of({ k, i }: Tile): Int16Array {
    for (let n = 0; n < this.used; n++) {
      const table = this.tables[n]!;
      if (table.k === k && table.i === i) return table.columns;
    }
    // The arrays are kept: a picture needs two or three.
    const table = this.tables[this.used] ??=
      { k, i, columns: new Int16Array(PLACES) };
    this.used++;
    table.k = k;
    table.i = i;
    this.fill(table.columns, k, i);
    return table.columns;
  }

  private fill(places: Int16Array, k: number, i: number): void {
    const { origin, scale, first } = this.columns!;
    const shift = (i * tileLength(k) - origin) * scale + 0.5;
    const perPlace = (tileLength(k) / UNITS) * scale;
    const low = this.x0 - FAR;
    const high = this.x1 + FAR;
    const placeOf = (column: number) => Math.min(PLACES, Math.max(0,
      Math.ceil((column + first - shift) / perPlace)));
    const [from, to] = [placeOf(low), placeOf(high)];
    places.fill(low, 0, from);
    // Rounded on the grid: the same for every picture that is on it.
    for (let place = from; place < to; place++)
      places[place] = Math.floor(shift + place * perPlace) - first;
    places.fill(high, to);
  }
}

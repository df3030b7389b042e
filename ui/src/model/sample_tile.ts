// SPDX-License-Identifier: Apache-2.0
//
// Tiles for tests, from a list of boxes.
import { makeTile, ONE_EVENT, RECORD, type Tile } from "./records.ts";

export interface Box {
  x: number;
  w: number;
  row: number;
  name?: number;
  depth?: number;
  class?: number;
  flags?: number;
  count?: number;
  fill?: number;
  slot?: number;
}

export function recordsOf(boxes: Box[]): ArrayBuffer {
  const buffer = new ArrayBuffer(boxes.length * RECORD);
  const view = new DataView(buffer);
  boxes.forEach((box, n) => {
    const at = n * RECORD;
    view.setUint16(at, box.x, true);
    view.setUint16(at + 2, box.w, true);
    view.setUint32(at + 4, box.row, true);
    view.setUint16(at + 8, box.name ?? 0, true);
    view.setUint8(at + 10, box.depth ?? 0);
    view.setUint8(at + 11, (box.class ?? 0) | (box.flags ?? 0));
    view.setUint16(at + 12, box.count ?? 1, true);
    view.setUint8(at + 14, box.fill ?? ONE_EVENT);
    view.setUint8(at + 15, box.slot ?? 0);
  });
  return buffer;
}

export function sampleTile(boxes: Box[], options: {
  k?: number;
  i?: number;
  tracks?: number[];
  names?: number[];
} = {}): Tile {
  return makeTile(options.k ?? 6, options.i ?? 0,
    Uint32Array.from(options.tracks ?? [0]),
    Uint32Array.from(options.names ?? [0, 1, 2, 3]), recordsOf(boxes));
}

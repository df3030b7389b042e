// SPDX-License-Identifier: Apache-2.0
//
// The 16-byte records of a tile, read where they lie. Pure.
//
//   x u16 · w u16 · row u32 · name u16 · depth u8 · class u8 ·
//   count u16 · fill u8 · slot u8, little-endian, ordered by slot, depth, x
export const RECORD = 16;
/** Units of x and w in a tile: 1,024 buckets of 64. */
export const UNITS = 65536;
export const BEGINS_BEFORE = 0x20;
export const ENDS_AFTER = 0x40;
export const MIXED = 0x80;
export const CLASS_MASK = 0x1f;
/** `fill` of a box that is one event. */
export const ONE_EVENT = 255;
/** `count` of a mark that stands for this many or more. */
export const MANY = 65535;

/** Records of one answered tile: tracks by slot, names by index. */
export interface Tile {
  k: number;
  i: number;
  tracks: Uint32Array;
  names: Uint32Array;
  count: number;
  u8: Uint8Array;
  u16: Uint16Array;
  u32: Uint32Array;
}

const MAGIC = 0x4c545353; // "SSTL"
const HEADER = 32;
const TILE_HEAD = 8;

interface Answer {
  tiles: Tile[];
}

/**
 * Reads an answer of `tiles`: header {magic, version u16, k u16, tiles u32,
 * names u32, first tile u64, records u32, bytes before the records u32}, for
 * each tile {first record, count}, names u32[], records. Each tile gets a copy
 * of its records, so that it can be dropped by itself.
 */
export function decodeAnswer(buffer: ArrayBuffer, tracks: number[]): Answer {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== MAGIC)
    throw new Error("the answer is not a tile");
  const version = view.getUint16(4, true);
  if (version !== 1)
    throw new Error(`tiles of version ${version}; reload the page`);
  const k = view.getUint16(6, true);
  const tileCount = view.getUint32(8, true);
  const nameCount = view.getUint32(12, true);
  const firstTile = Number(view.getBigUint64(16, true));
  const recordsAt = view.getUint32(28, true);
  const namesAt = HEADER + tileCount * TILE_HEAD;
  if (recordsAt < namesAt + nameCount * 4 || recordsAt > buffer.byteLength)
    throw new Error("the answer is cut short");
  const names = new Uint32Array(buffer.slice(namesAt, namesAt + nameCount * 4));
  const slots = Uint32Array.from(tracks);
  const tiles: Tile[] = [];
  for (let n = 0; n < tileCount; n++) {
    const at = HEADER + n * TILE_HEAD;
    const first = view.getUint32(at, true);
    const count = view.getUint32(at + 4, true);
    const begin = recordsAt + first * RECORD;
    const end = begin + count * RECORD;
    if (end > buffer.byteLength) throw new Error("the answer is cut short");
    tiles.push(makeTile(k, firstTile + n, slots, names,
      buffer.slice(begin, end)));
  }
  return { tiles };
}

export function makeTile(k: number, i: number, tracks: Uint32Array,
  names: Uint32Array, records: ArrayBuffer): Tile {
  return {
    k, i, tracks, names,
    count: records.byteLength / RECORD,
    u8: new Uint8Array(records),
    u16: new Uint16Array(records),
    u32: new Uint32Array(records),
  };
}

export const xOf = (tile: Tile, n: number) => tile.u16[n * 8]!;
export const widthOf = (tile: Tile, n: number) => tile.u16[n * 8 + 1]!;
export const rowOf = (tile: Tile, n: number) => tile.u32[n * 4 + 1]!;
/** The id of a name, or NO_NAME where the answer had no room for it. */
export const NO_NAME = 0xffffffff;
export const nameOf = (tile: Tile, n: number) =>
  tile.names[tile.u16[n * 8 + 4]!] ?? NO_NAME;
export const depthOf = (tile: Tile, n: number) => tile.u8[n * 16 + 10]!;
export const classOf = (tile: Tile, n: number) =>
  tile.u8[n * 16 + 11]! & CLASS_MASK;
export const flagsOf = (tile: Tile, n: number) =>
  tile.u8[n * 16 + 11]! & ~CLASS_MASK;
export const countOf = (tile: Tile, n: number) => tile.u16[n * 8 + 6]!;
export const fillOf = (tile: Tile, n: number) => tile.u8[n * 16 + 14]!;
export const slotOf = (tile: Tile, n: number) => tile.u8[n * 16 + 15]!;

/** The slot of a track in a tile, or -1. */
export const slotOfTrack = (tile: Tile, track: number) =>
  tile.tracks.indexOf(track);

/** First record at or after (slot, depth, x). */
export function lowerBound(tile: Tile, slot: number, depth: number, x: number)
  : number {
  let low = 0;
  let high = tile.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    const before =
      slotOf(tile, middle) - slot ||
      depthOf(tile, middle) - depth ||
      xOf(tile, middle) - x;
    if (before < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bytes that a tile holds in memory, about. */
export const tileBytes = (tile: Tile) =>
  tile.u8.byteLength + tile.names.byteLength + 256;

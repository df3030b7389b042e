// SPDX-License-Identifier: Apache-2.0
//
// An answer of `tiles` as bytes, as docs/formats/http.md has it.
/**
 * @param {number} k
 * @param {number} firstTile
 * @param {number[]} names
 * @param {ArrayBuffer[]} tiles
 */
export function encodeAnswer(k, firstTile, names, tiles) {
  const namesAt = 32 + tiles.length * 8;
  const recordsAt = Math.ceil((namesAt + names.length * 4) / 16) * 16;
  const total = tiles.reduce((sum, one) => sum + one.byteLength, 0);
  const buffer = new ArrayBuffer(recordsAt + total);
  const view = new DataView(buffer);
  view.setUint32(0, 0x4c545353, true);
  view.setUint16(4, 1, true);
  view.setUint16(6, k, true);
  view.setUint32(8, tiles.length, true);
  view.setUint32(12, names.length, true);
  view.setBigUint64(16, BigInt(firstTile), true);
  view.setUint32(24, total / 16, true);
  view.setUint32(28, recordsAt, true);
  names.forEach((id, n) => view.setUint32(namesAt + n * 4, id, true));
  let first = 0;
  tiles.forEach((records, n) => {
    view.setUint32(32 + n * 8, first, true);
    view.setUint32(32 + n * 8 + 4, records.byteLength / 16, true);
    new Uint8Array(buffer).set(new Uint8Array(records),
      recordsAt + first * 16);
    first += records.byteLength / 16;
  });
  return buffer;
}

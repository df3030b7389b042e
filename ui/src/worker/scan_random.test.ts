// SPDX-License-Identifier: Apache-2.0
//
// The rasteriser against a plain one, and pictures that are made from the last
// ones against those that are drawn as a whole: pixel by pixel.
import { beforeAll, expect, test } from "vitest";
import type { Tile } from "../model/records.ts";
import { tileLength } from "../model/tiles.ts";
import { columnsAfter, columnsOf, type Columns } from "./columns.ts";
import { makePaints } from "./paints.ts";
import { repaintOf } from "./reuse.ts";
import { Scan } from "./scan.ts";
import {
  makeRandom, plainPicture, randomTile, rowsOf, sceneOf,
} from "./scan_support.ts";
import type { Scene } from "./scene.ts";

beforeAll(() => {
  // Node has no ImageData.
  (globalThis as { ImageData?: unknown }).ImageData ??= class {
    data: Uint8ClampedArray;
    constructor(width: number, height: number) {
      this.data = new Uint8ClampedArray(width * height * 4);
    }
  };
});

const paints = makePaints("light", ["kernel", "operator", "copy"]);
const WIDTH = 211;
const HEIGHT = 57;
const LANES = [2, 1, 3, 2];
const K = 6;
const nothing = { grid: [], steps: [] };
/** Only a hang ends a test: the machine may be busy. */
const PATIENCE_MS = 120_000;

function picture(scan: Scan, scene: Scene, name: number | null = null,
  grid: number[] = []): Uint32Array {
  scan.resize(WIDTH, HEIGHT);
  const image = scan.draw(scene, paints, { ...nothing, grid }, 1, name);
  return new Uint32Array(image.data.buffer.slice(0));
}

/** The first pixel that differs, in words; "": none does. */
function difference(a: Uint32Array, b: Uint32Array): string {
  const at = a.findIndex((colour, n) => colour !== b[n]);
  return at < 0 ? "" : `x ${at % WIDTH} y ${Math.floor(at / WIDTH)}: ` +
    `${a[at]!.toString(16)}, not ${b[at]!.toString(16)}`;
}

/** Somewhere on the first three tiles, some pixels or some tiles long. */
function randomRange(random: () => number) {
  const length = tileLength(K) * 3 * 0.0005 ** random();
  const t0 = (tileLength(K) * 3 - length) * random();
  return { t0, t1: t0 + length };
}

test("random boxes are drawn as the plain way draws them", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = makeRandom(seed);
    const tiles = [0, 1, 2].map((i) => randomTile(random, K, i, LANES));
    const rows = rowsOf(LANES, [4, 7, 18][seed % 3]!);
    const columns = { ...columnsOf(randomRange(random), WIDTH),
      first: Math.floor(random() * 100) - 50 };
    const scene = sceneOf(rows, tiles, columns, WIDTH, HEIGHT + 26,
      Math.floor(random() * 40));
    const name = seed % 4 === 0 ? 2 : null;
    expect(difference(picture(new Scan(), scene, name),
      plainPicture(scene, paints, name, WIDTH, HEIGHT)), `seed ${seed}`)
      .toBe("");
  }
}, PATIENCE_MS);

test("a picture from the last one is as one that is drawn anew", () => {
  let reused = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const random = makeRandom(1000 + seed);
    const make = (i: number) => randomTile(random, K, i, LANES);
    const rows = rowsOf(LANES, [4, 7, 18][seed % 3]!);
    const layout = { rows, height: 1e6 };
    let tiles: Tile[] = [0, 1, 2].map(make);
    let range = randomRange(random);
    let columns: Columns | null = null;
    let scroll = 0;
    let name: number | null = null;
    const kept = new Scan();
    let last: Scene | null = null;
    for (let step = 0; step < 25; step++) {
      const act = random();
      const length = range.t1 - range.t0;
      if (act < 0.6) {
        const by = (random() - 0.5) ** 3 * 4 * length;
        range = { t0: range.t0 + by, t1: range.t1 + by };
      } else if (act < 0.7) scroll = Math.floor(random() * 40);
      else if (act < 0.8) tiles = tiles.map((tile, i) =>
        random() < 0.5 ? make(i) : tile);
      else if (act < 0.85) name = name === null ? 2 : null;
      else if (act < 0.9) range = randomRange(random);
      columns = columnsAfter(columns, range, WIDTH);
      const scene = { ...sceneOf(rows, tiles, columns, WIDTH, HEIGHT + 26,
        scroll), layout };
      // A tile of one track alone may have come.
      if (step % 5 === 4) {
        const track = scene.tracks[step % LANES.length]!;
        track.pieces = track.pieces.slice(1);
      }
      const grid = [Math.floor(tileLength(K) * columns.scale) -
        columns.first].filter((x) => x >= 0 && x < WIDTH);
      const from = repaintOf(last && drawn(last, name), drawn(scene, name));
      if (from.shift !== 0) reused++;
      last = scene;
      expect(difference(picture(kept, scene, name, grid),
        picture(new Scan(), scene, name, grid)),
      `seed ${seed}, step ${step}`).toBe("");
    }
  }
  expect(reused).toBeGreaterThan(100);
}, PATIENCE_MS);

const ground = new Uint32Array(WIDTH);
const drawn = (scene: Scene, name: number | null = null) =>
  ({ scene, paints, ground, ratio: 1, name, width: WIDTH, height: HEIGHT });

test("a pan paints the columns that come in, a scroll the lines", () => {
  const random = makeRandom(7);
  const tiles = [0, 1].map((i) => randomTile(random, K, i, LANES));
  const rows = rowsOf(LANES, 7);
  const columns = columnsOf({ t0: 1000, t1: 60_000 }, WIDTH);
  const layout = { rows, height: 1e6 };
  const scene = (first: number, scroll: number, own = tiles) =>
    ({ ...sceneOf(rows, own, { ...columns, first }, WIDTH, HEIGHT + 26,
      scroll), layout });
  const last = drawn(scene(0, 10));
  const all = { x0: 0, x1: WIDTH, y0: 0, y1: HEIGHT };
  expect(repaintOf(last, drawn(scene(0, 10)))).toEqual(
    { shift: 0, parts: [] });
  expect(repaintOf(last, drawn(scene(5, 10)))).toEqual(
    { shift: 5, parts: [{ ...all, x0: WIDTH - 5 }] });
  expect(repaintOf(last, drawn(scene(-5, 7)))).toEqual(
    { shift: -5 - 3 * WIDTH, parts: [{ ...all, x1: 5 }, { ...all, y1: 3 }] });
  const whole = { shift: 0, parts: [all] };
  expect(repaintOf(null, last)).toEqual(whole);
  expect(repaintOf(last, drawn(scene(WIDTH, 10)))).toEqual(whole);
  expect(repaintOf(last, drawn(scene(5, 10.5)))).toEqual(whole);
  expect(repaintOf(last, drawn(scene(5, 10), 3))).toEqual(whole);
  expect(repaintOf(last, { ...drawn(scene(5, 10)),
    ground: ground.slice().fill(1, 50, 51) })).toEqual(whole);
  const other = [randomTile(random, K, 0, LANES), tiles[1]!];
  expect(repaintOf(last, drawn(scene(5, 10, other)))).toEqual(whole);
  // The tile that changed is not in what stays.
  const right = { ...columns, first: columns.first + WIDTH - 3 };
  const far = drawn({ ...sceneOf(rows, [tiles[1]!], right, WIDTH,
    HEIGHT + 26, 10), layout });
  expect(repaintOf(far, far).parts).toEqual([]);
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  askFor, formatTracks, isStale, levelFor, standIns, tileKey, tileLength,
  tilesFor,
} from "./tiles.ts";

const levels = { min: 0, max: 30 };

test("a bucket is one to two pixels wide", () => {
  for (const length of [40, 1e3, 1.7e6, 6e10]) {
    const k = levelFor({ t0: 0, t1: length }, 1700, levels);
    const pixels = 2 ** k / (length / 1700);
    expect(k === 0 || (pixels >= 1 && pixels < 2)).toBe(true);
  }
  expect(levelFor({ t0: 0, t1: 1e15 }, 100, levels)).toBe(30);
});

test("the tiles of a range, inside the trace", () => {
  const length = tileLength(10);
  expect(tilesFor({ t0: -5, t1: length * 2 }, 10, length * 9))
    .toEqual({ k: 10, i0: 0, i1: 1 });
  expect(tilesFor({ t0: length * 2, t1: length * 2 + 1 }, 10, length * 9))
    .toEqual({ k: 10, i0: 2, i1: 2 });
  expect(tilesFor({ t0: length * 8.5, t1: length * 12 }, 10, length * 9))
    .toEqual({ k: 10, i0: 8, i1: 8 });
  expect(tilesFor({ t0: 0, t1: 10 }, 10, 0)).toEqual({ k: 10, i0: 0, i1: 0 });
});

test("tracks are named by ranges", () => {
  expect(formatTracks([7, 1, 2, 0, 3, 9, 8, 40])).toBe("0-3,7-9,40");
  expect(formatTracks([5])).toBe("5");
});

test("one request for what is missing, nothing when all is there", () => {
  const have = new Set([tileKey(1, 5, 3), tileKey(2, 5, 3), tileKey(2, 5, 4)]);
  const has = (t: number, k: number, i: number) => have.has(tileKey(t, k, i));
  expect(askFor({ k: 5, i0: 3, i1: 4 }, [1, 2], has))
    .toEqual({ k: 5, i0: 4, i1: 4, tracks: [1] });
  expect(askFor({ k: 5, i0: 3, i1: 3 }, [1, 2], has)).toBeNull();
  expect(askFor({ k: 5, i0: 3, i1: 5 }, [1, 2, 9], has))
    .toEqual({ k: 5, i0: 3, i1: 5, tracks: [1, 2, 9] });
});

test("an answer is stale two levels off or out of sight", () => {
  const ask = { k: 10, i0: 4, i1: 5 };
  expect(isStale(ask, { k: 10, i0: 5, i1: 6 })).toBe(false);
  expect(isStale(ask, { k: 11, i0: 2, i1: 2 })).toBe(false);
  expect(isStale(ask, { k: 12, i0: 1, i1: 1 })).toBe(true);
  expect(isStale(ask, { k: 10, i0: 7, i1: 8 })).toBe(true);
  expect(isStale(ask, { k: 10, i0: 1, i1: 2 })).toBe(true);
});

test("a neighbour that is fetched ahead is of use", () => {
  const neighbour = { k: 10, i0: 6, i1: 6 };
  expect(isStale(neighbour, { k: 10, i0: 4, i1: 5 })).toBe(false);
  expect(isStale(neighbour, { k: 10, i0: 7, i1: 9 })).toBe(false);
});

test("a missing tile is drawn from a coarser one, cut to its place", () => {
  const tiles = new Map([["12/1", "coarse"], ["14/0", "coarsest"]]);
  const get = (k: number, i: number) => tiles.get(`${k}/${i}`);
  const length = tileLength(10);
  expect(standIns(10, 5, levels, get)).toEqual([
    { tile: "coarse", k: 12, i: 1, t0: 5 * length, t1: 6 * length }]);
  expect(standIns(10, 9, levels, get)[0]?.tile).toBe("coarsest");
});

test("else from finer ones", () => {
  const get = (k: number, i: number) =>
    k === 9 && (i === 10 || i === 11) ? `${i}` : undefined;
  expect(standIns(10, 5, levels, get).map((one) => one.tile))
    .toEqual(["10", "11"]);
  expect(standIns(10, 6, levels, get)).toEqual([]);
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { Lru } from "./lru.ts";

function cache(limit: number) {
  const gone: string[] = [];
  return { gone, lru: new Lru<number>(limit, (key) => gone.push(key)) };
}

test("the least recently used goes first", () => {
  const { lru, gone } = cache(30);
  for (const key of ["a", "b", "c"]) lru.put(key, 1, 10);
  lru.touch("a");
  lru.put("d", 1, 10);
  expect(gone).toEqual(["b"]);
  expect(lru.bytes).toBe(30);
  expect(lru.has("a") && lru.has("c") && lru.has("d")).toBe(true);
});

test("what is pinned stays, and so does what was just put", () => {
  const { lru, gone } = cache(20);
  lru.put("pin", 1, 15, true);
  lru.put("a", 1, 5);
  lru.put("big", 1, 100);
  expect(gone).toEqual(["a"]);
  expect(lru.has("pin") && lru.has("big")).toBe(true);
  lru.put("b", 1, 1);
  expect(gone).toEqual(["a", "big"]);
});

test("putting again replaces and keeps the sum", () => {
  const { lru } = cache(100);
  lru.put("a", 1, 60);
  lru.put("a", 2, 30);
  expect(lru.bytes).toBe(30);
  expect(lru.get("a")).toBe(2);
  expect(lru.size).toBe(1);
});

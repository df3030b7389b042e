// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { readChanges, withChange, writeChanges } from "./changes.ts";

test("changes survive the address, whatever is in them", () => {
  const changes = ["graph", "kernel:a;b=0.5", "op:a\\b=0", "op:\\;\\=0", "\\"];
  expect(readChanges(writeChanges(changes))).toEqual(changes);
  expect(writeChanges(["graph", "no_sync"])).toBe("graph;no_sync");
  expect(readChanges("graph;;no_sync;")).toEqual(["graph", "no_sync"]);
  expect(readChanges("")).toEqual([]);
  // A link of before, or one that was cut.
  expect(readChanges("op:a\\b=0;x\\")).toEqual(["op:a\\b=0", "x\\"]);
});

test("a change is there once", () => {
  expect(readChanges("graph;graph")).toEqual(["graph"]);
  expect(withChange(["op:a=0"], "op:a=0")).toEqual(["op:a=0"]);
  expect(withChange(["op:a=0"], "op:b=0")).toEqual(["op:a=0", "op:b=0"]);
});

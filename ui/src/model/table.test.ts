// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { fromFlat } from "./declared.ts";
import { columnIndex, filterRows, isBadPattern, isWithoutCounters, sortRows }
  from "./table.ts";

const data = fromFlat({
  columns: [
    { key: "name", type: "text" }, { key: "hist", type: "rows" },
    { key: "ns", type: "time" }, { key: "odd", type: "bool" },
  ],
  rows: [["b", null, 5, true], ["A.c", null, -3, false],
    ["c", null, null, true], ["b2", null, 1e12, false]],
});
const names = (rows: Uint32Array) =>
  Array.from(rows, (row) => data.cell(row, 0)).join(" ");
const all = filterRows(data, "");

test("columns that hold rows are left out", () =>
  expect(data.columns.map((column) => column.key))
    .toEqual(["name", "ns", "odd"]));

test.each([
  ["", "b A.c c b2"], ["B", "b b2"], ["a.c", "A.c"], ["/^b.$/", "b2"],
  ["/(/", ""], ["nothing", ""], [" b ", "b b2"],
])("search for %j finds %j", (query, found) =>
  expect(names(filterRows(data, query))).toBe(found));

test("columns of counters that nobody sampled are empty, others never", () => {
  const table = fromFlat({
    columns: [{ key: "rank", type: "count" },
      { key: "counters.dram_bytes", type: "bytes" },
      { key: "counters.intensity", type: "number" }],
    rows: [[null, null, null], [null, 0, null]],
  });
  expect(table.columns.map((_, at) => isWithoutCounters(table, at)))
    .toEqual([false, false, true]);
});

test("sorts numbers both ways; what has no value comes last", () => {
  const ns = columnIndex(data, "ns");
  expect(names(sortRows(data, all, ns, true))).toBe("b2 b A.c c");
  expect(names(sortRows(data, all, ns, false))).toBe("A.c b b2 c");
});

test("sorts texts and truths, and keeps the order of equal ones", () => {
  expect(names(sortRows(data, all, 0, false))).toBe("A.c b b2 c");
  expect(names(sortRows(data, all, 2, true))).toBe("b c A.c b2");
  expect(names(sortRows(data, all, 9, true))).toBe("b A.c c b2");
});

test("sorts as a comparison would, whatever the numbers", () => {
  const values = [0, -0, 1.5, -1.5, 1e300, -1e300, 2 ** 53, 1e-300, 7, 7,
    -7, 65536, 65535, 0.1, -0.1, 4294967296];
  const table = fromFlat({ columns: [{ key: "v", type: "number" }],
    rows: values.map((value) => [value]) });
  const order = sortRows(table, filterRows(table, ""), 0, false);
  expect(Array.from(order, (row) => values[row]! + 0)).toEqual(
    values.map((value) => value + 0).sort((a, b) => a - b));
});

test("a pattern that is none is told apart from one without a match", () => {
  for (const query of ["/[/", "/(/", " /a{2,1}/ "])
    expect(isBadPattern(query)).toBe(true);
  for (const query of ["", "[", "/", "//", "/[a]/", "/nothing like it/"])
    expect(isBadPattern(query)).toBe(false);
});

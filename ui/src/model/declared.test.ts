// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  cellTypeOf, columnsOf, fromObjects, tablesIn, valueAt, valueOf,
} from "./declared.ts";

test("a column has the title that the server gives", () => {
  const [total] = columnsOf(
    [{ key: "cpu.total_ns", title: "CPU total", type: "time" }]);
  expect(total!.title).toBe("CPU total");
  expect(columnsOf([{ key: "name", type: "text" }])[0]!.title).toBe("name");
});

test("types as the server and as the docs write them", () => {
  expect(cellTypeOf("time")).toBe("time");
  expect(cellTypeOf("time, ns")).toBe("time");
  expect(cellTypeOf("moment")).toBe("time");
  expect(cellTypeOf("true or false")).toBe("bool");
  expect(cellTypeOf("rows")).toBeNull();
});

test("values of nested objects", () => {
  const row = { cpu: { total_ns: 5 }, name: "a", list: [1], none: null };
  expect(valueAt(row, "cpu.total_ns")).toBe(5);
  expect(valueAt(row, "cpu.total_ns.more")).toBeNull();
  expect(valueAt(row, "list")).toBeNull();
  expect(valueAt(row, "none")).toBeNull();
  expect(valueAt(null, "name")).toBeNull();
  expect(valueAt({}, "constructor.name.length")).toBeNull();
});

test("a cell by the key of its column", () => {
  const table = { columns: [{ key: "id", type: "text" },
    { key: "a.n_ns", type: "time" }], rows: [["x", 5], ["y", null]] };
  expect(valueOf(table, 0, "a.n_ns")).toBe(5);
  expect(valueOf(table, 1, "a.n_ns")).toBeNull();
  expect(valueOf(table, 2, "id")).toBeNull();
  expect(valueOf(table, 0, "none")).toBeNull();
});

test("rows inside rows have the same columns", () => {
  const columns = columnsOf([{ key: "name", type: "text" },
    { key: "calls", type: "count" }]);
  const data = fromObjects(columns, [
    { name: "op", calls: 2, inner: [{ name: "in", calls: 1,
      device: [{ name: "kernel", calls: 4 }] }], device: [] },
    { name: "leaf", calls: 1, inner: [], device: [] },
  ], ["inner", "device"]);
  const inner = data.inner!(0)!;
  expect(inner.cell(0, 0)).toBe("in");
  expect(inner.within).toBe("op");
  expect(inner.inner!(0)!.within).toBe("in");
  expect(inner.inner!(0)!.cell(0, 1)).toBe(4);
  expect(data.inner!(1)).toBeNull();
});

test("a table of one row shows the rows inside it", () => {
  const columns = [{ key: "name", type: "text" }, { key: "cpu", title: "CPU",
    type: "rows", columns: [{ key: "time.ns", type: "time" }] }];
  const inner = [{ time: { ns: 7 } }] as unknown as string;
  const titles = (rows: (string | null)[][]) =>
    tablesIn({ columns, rows }).map((one) => one.title);
  expect(titles([["a", inner]])).toEqual(["", "CPU"]);
  expect(titles([["a", inner], ["b", null]])).toEqual([""]);
  const [only] = tablesIn({ columns: [columns[1]!], rows: [[inner]] });
  expect(only!.data.cell(0, 0)).toBe(7);
  expect(tablesIn({ columns: [columns[1]!], rows: [] })[0]!.data.count)
    .toBe(0);
});

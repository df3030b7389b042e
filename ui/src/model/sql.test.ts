// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  chartOfRows, dataOfRows, queryOfTable, remedyOf, rowsOf, spansOfRows,
  tableOf, viewOf,
} from "./sql.ts";
import type { Column } from "./table.ts";

const column = (key: string, type: Column["type"]): Column =>
  ({ key, type, title: key, unit: "", meaning: "" });
const data = { columns: [column("name", "text"), column("calls", "count"),
  column("cpu.total_ns", "time")] };
const usual = { sort: "", descending: true, top: 0, find: "" };

test("the query of a table has its columns, order, search and number", () => {
  expect(queryOfTable(tableOf("operator"), data, [0, 2], usual)).toBe(
    "SELECT name, cpu_total_ns\nFROM summary_operator");
  expect(queryOfTable(tableOf("operator"), data, [0, 1], { sort: "cpu.total_ns",
    descending: true, top: 20, find: "it's" })).toBe(
    "SELECT name, calls\nFROM summary_operator\n" +
    "WHERE contains(lower(name), 'it''s')\n" +
    "ORDER BY cpu_total_ns DESC NULLS LAST\nLIMIT 20");
  expect(queryOfTable(tableOf("operator"), data, [0],
    { ...usual, find: "/^a|b/" }))
    .toContain("WHERE regexp_matches(name, '^a|b', 'i')");
  expect(queryOfTable(viewOf("operator_shapes"), data, [0], usual)).toBe(
    "SELECT name\nFROM view_operator_shapes");
  const inside = rowsOf("memory", "rows", "GPU'0");
  expect(queryOfTable(inside, data, [0], usual)).toBe(
    "SELECT name\nFROM summary_memory_rows\nWHERE parent = 'GPU''0'");
  expect(queryOfTable(inside, data, [0], { ...usual, find: "x" })).toContain(
    "WHERE parent = 'GPU''0' AND (contains(lower(name), 'x'))");
});

test("rows as a table: times and bytes by the names of columns", () => {
  const rows = dataOfRows({ columns: [{ name: "dur_ns", type: "count" },
    { name: "start_ns", type: "count" }, { name: "bytes", type: "count" },
    { name: "dur_ns", type: "text" }, { name: "peak_at_ns", type: "count" }],
  rows: [[1, 2, 3, "x", 4]], more: false });
  expect(rows.columns.map((one) => one.type))
    .toEqual(["time", "count", "bytes", "text", "count"]);
  expect(new Set(rows.columns.map((one) => one.key)).size).toBe(5);
  expect(rows.cell(0, 3)).toBe("x");
});

test("rows as bars", () => {
  const rows = dataOfRows({ columns: [{ name: "a", type: "text" },
    { name: "n", type: "number" }], rows: [["x", 2], [null, null]],
  more: false });
  expect(chartOfRows(rows, 0, 1)).toEqual([{ label: "x", value: 2 },
    { label: "", value: 0 }]);
  expect(chartOfRows(rows, 0, 7)).toBeNull();
});

test("rows as spans of a track, exact beyond what a number holds", () => {
  const answer = { columns: [{ name: "name", type: "text" },
    { name: "start_ns", type: "count" }, { name: "dur_ns", type: "count" }],
  rows: [["a", "1700000000000000123", 7], ["b", null, 7]], more: false };
  expect(spansOfRows(answer, "1700000000000000100", -1)).toEqual([
    { name: "a", start: 23, end: 30, dur: 7, group: -1, inferred: false }]);
  expect(spansOfRows({ ...answer, columns: [{ name: "x", type: "text" }] },
    "0", -1)).toBeNull();
});

test("the command that gets DuckDB is told from the reason", () => {
  expect(remedyOf("libduckdb.so is not found; get it with: cd a && tar b"))
    .toEqual({ why: "libduckdb.so is not found", command: "cd a && tar b" });
  expect(remedyOf("it is too old")).toEqual({ why: "it is too old",
    command: "" });
});

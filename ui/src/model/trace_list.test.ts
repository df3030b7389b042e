// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Runs, TraceList, TraceRow } from "../generated/answers.ts";
import { columnIndex } from "./table.ts";
import { dataOfLines, linesOfList, pairOf, whenText } from "./trace_list.ts";

const row = (t: string, more: Partial<TraceRow> = {}): TraceRow => ({
  t, run: "r", worker: t, file: `${t}.json`, format: "kineto",
  modified_ns: "1700000000000000000", why: "", state: "whole", bytes: 10,
  events: 5, steps: 3, rejected: 0, step_ns: 7, ranks: [2],
  headline: ["a", "b"], ...more });
const list = (traces: TraceRow[]): TraceList => ({ generation: 1, done: 1,
  total: 1, unread: 0, reading: "", traces, jobs: [] });
const listed = { skipped: [{ file: "x.txt", why: "is empty" }] } as Runs;

test("what is known stands there before anything is read", () => {
  const lines = linesOfList(list([row("a", { state: "waiting", steps: 0,
    step_ns: null, ranks: [], headline: [] })]), listed);
  const data = dataOfLines(lines);
  const at = (line: number, key: string) =>
    data.cell(line, columnIndex(data, key));
  expect(data.count).toBe(2);
  expect(at(0, "bytes")).toBe(10);
  expect(at(0, "steps")).toBeNull();
  expect(at(0, "state")).toBe("waiting");
  expect(at(1, "file")).toBe("x.txt");
  expect(at(1, "state")).toBe("unreadable");
  expect(at(1, "headline")).toBe("is empty");
});

test("of two traces the newer one is compared with the older", () => {
  const lines = linesOfList(list([row("new"), row("old"), row("other")]),
    { skipped: [] } as unknown as Runs);
  expect(pairOf(lines, new Set(["new"]))).toBeNull();
  expect(pairOf(lines, new Set(["old", "new"]))!.map((one) => one.t))
    .toEqual(["old", "new"]);
});

test("a date as people sort it", () => {
  expect(whenText("1700000000000000000")).toMatch(/^2023-11-1[45] \d\d:\d\d$/);
  expect(whenText("")).toBe("");
  expect(whenText("soon")).toBe("");
});

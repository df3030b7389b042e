// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { iterationFigure, kindRows } from "./iteration_kinds.ts";

test("kinds as the first page says them", () => {
  const kinds = { columns: ["kind", "count", "period_ns.p50"].map((key) =>
    ({ key, type: "count" })),
  rows: [["mixed", 18, 4_720_000], ["decode", 1, null]] };
  expect(kindRows(kinds)).toEqual([
    { kind: "mixed", period: 4_720_000 }, { kind: "decode", period: null }]);
  // Of what has no period, nothing is said.
  expect(iterationFigure(kinds)).toMatchObject({ key: "step",
    title: "Iteration, mixed", value: "4.72", unit: "ms",
    detail: "median, start to start" });
  expect(iterationFigure({ ...kinds, rows: [] })).toBeNull();
});

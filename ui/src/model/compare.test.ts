// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type {
  JobRow, RunInfo, TraceList, TraceRow,
} from "../generated/answers.ts";
import { choicesOf, jobText } from "./compare.ts";

const workers = ["1", "2", "3"].map((t) => ({ id: "w" + t, name: "w" + t,
  rank: null, windows: [{ t, name: "w" + t }] }));
const runs: RunInfo[] = [{ id: "r", name: "run",
  all: { t: "*", name: "all" }, workers }];
const listOf = (state: TraceRow["state"], jobs: string[][]) => ({
  traces: ["1", "2", "3"].map((t) => ({ t, run: "r", state })),
  jobs: jobs.map((windows) => ({ id: windows[0], run: "r", windows })) as
    JobRow[],
}) as TraceList;
const texts = (list: TraceList | null) =>
  choicesOf(runs, list).map((one) => one.text);
const each = ["run · w1", "run · w2", "run · w3"];

test("workers of one job are offered together", () => {
  expect(texts(listOf("whole", [["1", "2", "3"]])))
    .toEqual(["run · all workers", ...each]);
  // Before they were read, nobody knows.
  expect(texts(null)).toEqual(["run · all workers", ...each]);
  expect(texts(listOf("unread", []))).toEqual(["run · all workers", ...each]);
});

test("workers of several jobs are offered job by job", () => {
  expect(texts(listOf("whole", [["1"], ["2"], ["3"]]))).toEqual(each);
  const choices = choicesOf(runs, listOf("whole", [["1", "3"], ["2"]]));
  expect(choices[0]).toEqual({ t: "1.3", text: "run · w1 and 1 more" });
  expect(choices.slice(1).map((one) => one.text)).toEqual(each);
});

test("what is no choice is called by its workers", () => {
  expect(jobText(runs, "2.3")).toBe("run · w2 and 1 more");
  expect(jobText(runs, "2")).toBe("run · w2");
  expect(jobText(runs, "9")).toBe("another trace");
});

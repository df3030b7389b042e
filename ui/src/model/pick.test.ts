// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { RunInfo } from "../generated/answers.ts";
import {
  ALL_WORKERS, jobName, keepOpen, pickWindow, windowTitle, workersOfJob,
} from "./pick.ts";

const worker = (id: string, ...windows: string[]) => ({
  id, name: id, rank: null, windows: windows.map((t) => ({ t, name: t })),
});
const runs: RunInfo[] = [
  { id: "one", name: "one", all: null, workers: [worker("w0", "a", "b")] },
  { id: "two", name: "two", all: { t: "all2", name: "all" },
    workers: [worker("w0", "c"), worker("w1", "d", "e")] },
];
const pick = (run: string, name = "", window = "") =>
  pickWindow(runs, { run, worker: name, window });

test("what the address names", () => {
  expect(pick("two", "w1", "e")?.window?.t).toBe("e");
  expect(pick("two", ALL_WORKERS)?.window?.t).toBe("all2");
});

test("the first where the address names nothing that is there", () => {
  expect(pick("", "", "")?.window?.t).toBe("a");
  expect(pick("gone", "gone", "gone")?.window?.t).toBe("a");
  expect(pickWindow([], { run: "", worker: "", window: "" })).toBeNull();
});

test("a worker survives another run, where it has one of that name", () => {
  expect(pick("one", "w0", "b")?.window?.t).toBe("b");
  expect(pick("two", "w0", "b")?.window?.t).toBe("c");
  expect(pick("one", ALL_WORKERS)?.window?.t).toBe("a");
});

test("a worker without a window", () => {
  const empty = [{ id: "r", name: "r", all: null, workers: [worker("w")] }];
  expect(pickWindow(empty, { run: "", worker: "", window: "" })?.window)
    .toBeNull();
});

test("some workers of a run, as one job", () => {
  const job = pick("two", "c.e");
  expect([job?.all, job?.worker, job?.window?.t]).toEqual([true, null, "c.e"]);
  expect(job?.window?.name).toBe("w0 and 1 more");
  expect(workersOfJob(runs[1]!, "d").map((one) => one.id)).toEqual(["w1"]);
  expect(jobName(runs[1]!, "d")).toBe("w1");
  // Not of this run: as if the address named nothing.
  expect(pick("two", "x.y")?.window?.t).toBe("c");
});

test("a window is not called like its worker", () => {
  expect(windowTitle("time_2026_11_17_01_27_47_872969", "host"))
    .toBe("2026-11-17 01:27:47.872");
  expect(windowTitle("second", "host")).toBe("second");
  expect(windowTitle("host", "host")).toBe("whole recording");
  expect(windowTitle("host", "host", [{ index: 6 }, { index: 11 }]))
    .toBe("steps 6–11");
  expect(windowTitle("host", "host", [{ index: 6 }])).toBe("step 6");
});

test("an open trace stays when its file is deleted", () => {
  const open = pick("one", "w0", "b");
  const without = [{ ...runs[0]!, workers: [worker("w0", "a")] }, runs[1]!];
  const kept = (list: RunInfo[], was = open) => keepOpen(list, was,
    pickWindow(list, { run: "one", worker: "w0", window: "b" }));
  expect(kept(runs)?.gone).toBeUndefined();
  for (const list of [[], [runs[1]!], without])
    expect([kept(list)?.window?.t, kept(list)?.gone]).toEqual(["b", true]);
  // Nothing was open; another file of that name took its place.
  expect(kept([], null)).toBeNull();
  const replaced = [{ ...runs[0]!, workers: [{ ...worker("w0"),
    windows: [{ t: "new", name: "b" }] }] }];
  expect([kept(replaced)?.window?.t, kept(replaced)?.gone])
    .toEqual(["new", undefined]);
});

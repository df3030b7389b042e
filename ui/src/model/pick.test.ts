// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { RunInfo } from "../generated/answers.ts";
import {
  addressOf, ALL_WORKERS, inOtherRun, jobName, newTraces, pickNow, pickWindow,
  windowTitle, workersOfJob,
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

test("the first where the address names none", () => {
  expect(pick("", "", "")?.window?.t).toBe("a");
  expect(pick("two")?.window?.t).toBe("c");
  expect(pick("two", "w1")?.window?.t).toBe("d");
  expect(pickWindow([], { run: "", worker: "", window: "" })).toBeNull();
});

test("none where the address names what is not there", () => {
  expect(pick("gone")).toBeNull();
  expect(pick("one", "gone")).toBeNull();
  expect(pick("one", "w0", "gone")).toBeNull();
  expect(pick("one", ALL_WORKERS)).toBeNull();
});

test("an address that is written for a trace names it", () => {
  for (const one of [pick("one", "w0", "b"), pick("two", ALL_WORKERS),
    pick("two", "c.e"), pick("", "", "")])
    expect(pickWindow(runs, addressOf(one!))).toEqual(one);
});

test("a worker survives another run, where it has one of that name", () => {
  const to = (id: string, from: ReturnType<typeof pick>) =>
    pickWindow(runs, inOtherRun(runs, id, from!))?.window?.t;
  expect(to("two", pick("one", "w0", "b"))).toBe("c");
  expect(to("one", pick("two", "w1"))).toBe("a");
  expect(to("one", pick("two", ALL_WORKERS))).toBe("a");
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
  expect(pick("two", "x.y")).toBeNull();
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

test("nothing takes the place of an open trace", () => {
  const open = pick("one", "w0", "b");
  const without = [{ ...runs[0]!, workers: [worker("w0", "a")] }, runs[1]!];
  const kept = (list: RunInfo[], was = open,
    wanted = { run: "one", worker: "w0", window: "b" }) =>
    pickNow(list, wanted, was);
  expect(kept(runs)?.gone).toBeUndefined();
  for (const list of [[], [runs[1]!], without])
    expect([kept(list)?.window?.t, kept(list)?.gone]).toEqual(["b", true]);
  expect(kept([], null)).toBeNull();
  // A new file that comes first in the list, under an address without a name.
  const nothing = { run: "", worker: "", window: "" };
  const more = [{ id: "new", name: "0", all: null,
    workers: [worker("w0", "n")] }, ...runs];
  expect(kept(more, open, nothing)?.window?.t).toBe("b");
  expect(kept(more, null, nothing)?.window?.t).toBe("n");
});

test("new traces are those that were not there", () => {
  const known = new Set(["a", "b", "c", "d"]);
  expect(newTraces(runs, known).map((one) => one.window.t)).toEqual(["e"]);
  expect(newTraces(runs, new Set([...known, "e"]))).toEqual([]);
});

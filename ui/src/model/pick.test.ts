// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { RunInfo } from "../api/types.ts";
import { ALL_WORKERS, pickWindow } from "./pick.ts";

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

// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test, vi } from "vitest";
import type { Progress } from "../generated/answers.ts";
import { forget, isKept, keep, keptAnswer, noteTrace } from "./kept.ts";

let open: Progress[] = [];
let info: unknown = {};
vi.mock("./api.ts", () => ({
  tokenRefused: { value: false },
  api: {
    post: async () => open[0],
    lines: async (_: string, __: unknown, line: (one: Progress) => void) =>
      open.slice(1).forEach(line),
    get: async () => info,
  },
}));
const { openTrace } = await import("./opened.ts");

const stop = new AbortController().signal;
beforeEach(() => {
  for (const t of ["r1", "r2"]) forget(t);
  keep("table?t=r1", { t: "r1" }, "old");
  keep("compare?a=r1&b=r2", { a: "r1", b: "r2" }, "old");
  keep("table?t=r2", { t: "r2" }, "other");
});

test("what is kept of a trace goes, and nothing else", () => {
  forget("r1");
  expect(isKept("table?t=r1")).toBe(false);
  expect(isKept("compare?a=r1&b=r2")).toBe(false);
  expect(keptAnswer("table?t=r2")).toBe("other");
});

test("the same trace keeps its answers, another one does not", () => {
  expect(noteTrace("r1", { span_ns: 1 })).toBe(false);
  expect(noteTrace("r1", { span_ns: 1 })).toBe(false);
  expect(keptAnswer("table?t=r1")).toBe("old");
  expect(noteTrace("r1", { span_ns: 2 })).toBe(true);
  expect(isKept("table?t=r1")).toBe(false);
});

test("a file that is imported anew loses its answers", async () => {
  info = { span_ns: 5 };
  open = [{ state: "ready" }];
  await openTrace("r2", stop);
  await openTrace("r2", stop);
  expect(keptAnswer("table?t=r2")).toBe("other");
  open = [{ state: "loading" }, { state: "ready" }];
  await openTrace("r2", stop);
  expect(isKept("table?t=r2")).toBe(false);
  expect(isKept("compare?a=r1&b=r2")).toBe(false);
  expect(keptAnswer("table?t=r1")).toBe("old");
});

test("a file that another tab opened anew, too", async () => {
  info = { span_ns: 5 };
  open = [{ state: "ready" }];
  await openTrace("r2", stop);
  info = { span_ns: 6 };
  await openTrace("r2", stop);
  expect(isKept("table?t=r2")).toBe(false);
});

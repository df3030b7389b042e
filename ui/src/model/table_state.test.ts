// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { applied, readState, writeState } from "./table_state.ts";

test("a table's state survives the address", () => {
  const change = { sort: "cpu.total_ns", descending: false, find: "a&b",
    columns: ["name", "calls"], unit: "us" as const, top: 20,
    widths: { name: 300, "cpu.total_ns": 90 } };
  const more = applied({ other: "1" }, writeState("ev.", change));
  expect(readState(more, "ev.")).toEqual(change);
  expect(more["other"]).toBe("1");
});

test("tables of a page do not disturb each other", () => {
  const more = applied({}, writeState("a.", { find: "x" }));
  expect(readState(more, "b.").find).toBe("");
});

test("what is usual leaves the address", () => {
  const more = applied({ "find": "x", "top": "5", "unit": "ms" },
    writeState("", { find: "", top: 0, unit: "auto" }));
  expect(more).toEqual({});
});

test("nonsense falls back to what is usual", () => {
  const state = readState({ top: "-3", unit: "weeks", sort: "-" }, "",
    { sort: "a", descending: true });
  expect(state).toMatchObject({ top: 0, unit: "auto" });
});

test("widths that make no sense are left out", () => {
  expect(readState({ wide: "a:5,b:99999,c,:50,d:44" }, "").widths)
    .toEqual({ d: 44 });
  expect(readState({ wide: "a:12" }, "").widths).toEqual({ a: 40 });
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  emptyRoute, formatRoute, otherTrace, parseRoute, readRange,
} from "./route.ts";

test("a route survives the address bar", () => {
  const route = {
    view: "trace", run: "a b/c", worker: "rank 0", window: "w#1",
    from: 12, to: 3_400_000_000, row: 7, query: "aten::add & <b>",
    more: { pin: "3,4", mode: "2" },
  };
  expect(parseRoute(formatRoute(route))).toEqual(route);
});

test("an empty address is the empty route", () => {
  expect(parseRoute("")).toEqual(emptyRoute);
  expect(formatRoute(emptyRoute)).toBe("#/");
});

test("what is wrong in an address is left out", () => {
  const route = parseRoute("#/trace?from=10&to=5&row=1e3&run=x");
  expect(route).toMatchObject({ from: null, to: null, row: null, run: "x" });
  expect(parseRoute("#/../etc?run=x")).toEqual(emptyRoute);
});

test("times are whole nanoseconds in a link", () => {
  expect(formatRoute({ ...emptyRoute, from: 0.4, to: 2.6 }))
    .toBe("#/?from=0&to=3");
});

test("another trace: what is of one only goes", () => {
  const route = parseRoute("#/distributed?run=a&from=1&to=2&row=3&step=6");
  expect(formatRoute({ ...route, ...otherTrace({ worker: "b" }) }))
    .toBe("#/distributed?run=a&worker=b");
  expect(formatRoute({ ...route,
    ...otherTrace({ worker: "b" }, { step: "6" }) }))
    .toBe("#/distributed?run=a&worker=b&step=6");
});

test("a range is whole or not there", () => {
  expect(readRange("1", "20")).toEqual({ from: 1, to: 20 });
  for (const [from, to] of [["x", "20"], ["1", "NaN"], ["20", "1"], ["1", ""],
    ["1e3", "2e3"], [undefined, "1"], [null, null]])
    expect(readRange(from, to)).toBe(null);
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { placeOfAdvice } from "./advice_place.ts";

const info = { origin_ns: "1000" };
const plain = { what: "", name: "", example: null, range: null };
const example = { name: "op", start_ns: 1500 };
const range = { start_ns: 1200, dur_ns: 300 };

test("an event comes before a time", () => {
  expect(placeOfAdvice({ evidence: [{ ...plain, range },
    { ...plain, example }] }, info))
    .toEqual({ at: "event", name: "op", start_ns: 1500 });
});

test("without an event, the time counts from the origin", () => {
  expect(placeOfAdvice({ evidence: [plain, { ...plain, range }] }, info))
    .toEqual({ at: "time", from: 200, to: 500 });
});

test("what is about no place has none", () => {
  expect(placeOfAdvice({ evidence: [plain] }, info)).toBeNull();
  expect(placeOfAdvice({ evidence: [] }, info)).toBeNull();
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { healthOf } from "./health.ts";

const NONE = { seen: 0, kept: 0, repaired: {}, rejected: {} };

test("nothing lost", () => {
  expect(healthOf({ complete: true, repaired: 0, rejected: 0,
    ledger: { seen: 61445, kept: 61445, repaired: {}, rejected: {} } }))
    .toEqual({ good: true, title: "Nothing lost", reasons: [],
      detail: "61,445 records read, none lost, none repaired" });
});

test("losses and a cut recording are said", () => {
  expect(healthOf({ complete: true, repaired: 1, rejected: 1003,
    ledger: { seen: 2000, kept: 996,
    rejected: { "no name": 3, "no time": 1000 }, repaired: { clock: 1 } } }))
    .toEqual({ good: false, title: "1,003 lost",
      detail: "2,000 records read, 1,003 rejected, 1 repaired",
      reasons: [{ what: "rejected: no name", count: 3 },
        { what: "rejected: no time", count: 1000 },
        { what: "repaired: clock", count: 1 }] });
  expect(healthOf({ complete: false, repaired: 0, rejected: 0, ledger: NONE }))
    .toMatchObject({ good: false, title: "Cut off" });
  expect(healthOf({ complete: false, recording: true, repaired: 0,
    rejected: 0, ledger: NONE })).toMatchObject({ good: true,
    title: "Recording", detail: "0 records read, none lost, none repaired, " +
      "the recording goes on" });
  // Nobody knows how much is missing.
  expect(healthOf({ complete: false, repaired: 0, rejected: 1,
    ledger: { ...NONE, rejected: { "cut short": 1 } } }))
    .toMatchObject({ good: false, title: "Cut off" });
  expect(healthOf({ complete: true, repaired: 2, rejected: 0,
    ledger: { ...NONE, repaired: { clock: 2 } } }))
    .toMatchObject({ good: true, title: "2 repaired" });
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { healthOf } from "./health.ts";

test("nothing lost", () => {
  const health = healthOf(
    { complete: true, ledger: { kept: 61445, repaired: 0, rejected: 0 } });
  expect(health).toEqual({ good: true, title: "Nothing lost",
    detail: "61,445 kept, 0 repaired, 0 rejected" });
});

test("losses and a cut recording are said", () => {
  expect(healthOf({ complete: true, ledger: { rejected: 3, dropped: 1000 } }))
    .toMatchObject({ good: false, title: "1,003 lost" });
  expect(healthOf({ complete: false, ledger: {} }))
    .toEqual({ good: false, title: "Cut off",
      detail: "the recording was cut off" });
  expect(healthOf({ complete: true, ledger: { repaired: 2 } }).title)
    .toBe("2 repaired");
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { prose } from "./prose.ts";

test("units are written one way", () => {
  expect(prose("A launch takes 8.19 us, a kernel 18 us."))
    .toBe("A launch takes 8.19 µs, a kernel 18 µs.");
  expect(prose("of us, 5 usual ones")).toBe("of us, 5 usual ones");
});

test("names stay as they are", () => {
  expect(prose("wait 5 us: 3 us", "wait 5 us")).toBe("wait 5 us: 3 µs");
});

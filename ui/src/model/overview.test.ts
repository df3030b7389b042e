// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { changesOffered } from "./overview.ts";

test("without a device nothing of one can be changed", () => {
  const names = (hasDevice: boolean) =>
    changesOffered(hasDevice).map((one) => one.change);
  expect(names(true)).toContain("tensor_cores");
  expect(names(false)).toEqual(
    ["data_ready", "no_comm", "comm=0.5", "host=0.5"]);
});

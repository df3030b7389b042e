// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { LEGEND, PARTS } from "../generated/looks.ts";

test("the legend has each colour and each word once", () => {
  for (const values of [LEGEND.map((one) => one.hue),
    LEGEND.map((one) => one.title)])
    expect(new Set(values).size).toBe(values.length);
  expect(LEGEND.map((one) => one.title)).toContain("Communication");
});

test("no cause of idle time has the colour of a stage", () => {
  const stage = LEGEND.find((one) => one.title === "Stage")!.hue;
  expect(Object.values(PARTS).map((one) => one.hue)).not.toContain(stage);
});

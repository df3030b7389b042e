// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { hasDeviceTime, shownColumns } from "./operator_columns.ts";

const COLUMNS = ["name", "self_cpu_ns", "gpu.total_ns", "gpu.ratio"];

test("a trace of the CPU alone has no columns of the device", () => {
  const host = [{ gpu: { total_ns: 0 } }, { gpu: { total_ns: null } }];
  expect(hasDeviceTime([])).toBe(false);
  expect(hasDeviceTime(host)).toBe(false);
  expect(hasDeviceTime([...host, { gpu: { total_ns: 5 } }])).toBe(true);
  expect(shownColumns(COLUMNS, false)).toEqual(["name", "self_cpu_ns"]);
  expect(shownColumns(COLUMNS, true)).toEqual(COLUMNS);
});

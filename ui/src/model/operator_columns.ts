// SPDX-License-Identifier: Apache-2.0
//
// How the table of operators begins: by the time on the device where there is
// any, else by the operators' own time, without columns of zeros.
import { valueAt } from "./declared.ts";

export function hasDeviceTime(operators: readonly unknown[]): boolean {
  return operators.some((row) => Number(valueAt(row, "gpu.total_ns")) > 0);
}

/** The columns without those of the device, where it did nothing. */
export function shownColumns(columns: string[], device: boolean): string[] {
  return device ? columns : columns.filter((key) => !key.startsWith("gpu."));
}

// SPDX-License-Identifier: Apache-2.0
//
// The rows of the table device_use as objects. Pure.
import type { DeviceUse } from "../generated/answers.ts";
import type { Cell, Data } from "./table.ts";

function rowObject(data: Data, row: number): Record<string, Cell> {
  return Object.fromEntries(data.columns.map((column, c) =>
    [column.key, data.cell(row, c)]));
}

export function objectsOf<T>(data: Data): T[] {
  return Array.from({ length: data.count }, (_, row) =>
    rowObject(data, row) as T);
}

export function deviceUses(data: Data): DeviceUse[] {
  return objectsOf<DeviceUse>(data);
}

// SPDX-License-Identifier: Apache-2.0
//
// The rows of the table device_use as objects, and what is said of tensor
// cores: what counters measured, where there are any. Pure.
import type { DeviceRow, DeviceUse } from "../generated/answers.ts";
import { valueAt } from "./declared.ts";
import { formatShare } from "./format.ts";
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

interface TensorUse {
  title: string;
  /** Null: nobody knows. */
  share: number | null;
  measured: boolean;
  /** What it is a share of, and how that is known. */
  detail: string;
}

/** Of one device. `rows`: the table of devices of the same steps. */
export function tensorUse(use: DeviceUse, rows: DeviceRow[]): TensorUse {
  const row = rows.find((one) => one.name === use.device);
  const active = valueAt(row, "counters.tensor_core_ratio");
  if (typeof active === "number") {
    const part = Number(valueAt(row, "counters.measured_ratio"));
    const known = part < 0.995
      ? `, known for ${formatShare(part)} of the device's work` : "";
    return { title: "Tensor cores active", share: active, measured: true,
      detail: `measured by counters while kernels ran${known}` };
  }
  return { title: "Tensor-core time", share: use.tensor_core, measured: false,
    detail: use.tensor_core !== null
      ? "of kernel time, estimated from names of kernels"
      : use.kernel_ns ? "unknown: the names of these kernels do not say it"
        : "no kernels were recorded" };
}

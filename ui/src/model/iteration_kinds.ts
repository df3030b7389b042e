// SPDX-License-Identifier: Apache-2.0
//
// What the first page says of a server: iterations by kind. Pure.
import type { FlatTable } from "../generated/answers.ts";
import { valueOf } from "./declared.ts";
import { formatTime } from "./format.ts";
import { splitUnit, type Figure } from "./overview.ts";
import { kindTitle } from "./serving.ts";

/** `period`: the median; null: not known. */
interface KindRow {
  kind: string;
  period: number | null;
}
export function kindRows(kinds: FlatTable): KindRow[] {
  return kinds.rows.map((_, row) => {
    const number = (key: string) => {
      const cell = valueOf(kinds, row, key);
      return typeof cell === "number" ? cell : null;
    };
    return { kind: String(valueOf(kinds, row, "kind")),
      period: number("period_ns.p50") };
  });
}

/** In place of the step time of a loop: that of a token, where one is made. */
export function iterationFigure(kinds: FlatTable): Figure | null {
  const rows = kindRows(kinds).filter((row) => row.period !== null);
  const row = rows.find((one) => one.kind === "decode") ?? rows[0];
  return row ? { key: "step", share: null,
    title: `Iteration, ${kindTitle(row.kind).toLowerCase()}`,
    ...splitUnit(formatTime(row.period!)),
    detail: "median, start to start" } : null;
}

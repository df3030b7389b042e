// SPDX-License-Identifier: Apache-2.0
//
// The columns of the table of a box, and what each of them means. The server
// cuts times off at the box in Total and Self alone. Pure.
import type { SelectRow } from "../generated/answers.ts";
import { formatCount } from "./format.ts";

export type BoxKey =
  Exclude<keyof SelectRow, "class" | "on" | "nested" | "name_id">;

/** Some recorders put a copy of each range of the host on the stream. */
export const isCopy = (row: Pick<SelectRow, "on" | "class">) =>
  row.on === "stream" && row.class === "user";

/** Calls that a figure does not count again. */
export const insideText = (nested: number) =>
  `${formatCount(nested)} more inside these, as part of them`;

const WHOLE = "each counted in full, even where it extends beyond the box";

export const BOX_COLUMNS: [key: BoxKey, title: string, meaning: string][] = [
  ["name", "Name", "The event's name"],
  ["calls", "Calls", "Events of this name that the box touches; one inside " +
    "another counts as part of it"],
  ["total", "Total", "Their time inside the box; what extends beyond " +
    "it is not counted"],
  ["self", "Self", "Their time inside the box, without the calls inside " +
    "them"],
  ["mean", "Mean", `Mean duration of these events, ${WHOLE}: not Total ` +
    "divided by Calls"],
  ["min", "Min", `The shortest, ${WHOLE}`],
  ["p50", "p50", `Half are no longer, ${WHOLE}`],
  ["p90", "p90", `Nine in ten are no longer, ${WHOLE}`],
  ["p99", "p99", `99 in 100 are no longer, ${WHOLE}`],
  ["max", "Max", `The longest, ${WHOLE}`],
];

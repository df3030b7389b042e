// SPDX-License-Identifier: Apache-2.0
//
// Tab stops once at the tracks, however many there are. From there, up and
// down go along the rows, right and left along the buttons of one.
import { signal } from "@preact/signals";
import type { Row } from "../../model/layout.ts";
import * as s from "./store.ts";

const keyOf = (row: Row) =>
  row.type === "group" ? `g${row.group}` : `t${row.track}`;
const chosen = signal("");

/** A row that can be reached: the chosen one, else the first. */
const stop = () => {
  const { rows } = s.layout.value;
  return rows.some((row) => keyOf(row) === chosen.value) ? chosen.value
    : rows[0] ? keyOf(rows[0]) : "";
};

export const rowStop = (row: Row) => ({
  "data-row": keyOf(row),
  tabIndex: stop() === keyOf(row) ? 0 : -1,
  onFocus: () => {
    chosen.value = keyOf(row);
  },
});

export function onRowKey(event: KeyboardEvent & { currentTarget: HTMLElement })
  : void {
  const target = event.target as HTMLElement;
  const row = target.closest<HTMLElement>(".gutter-track, .gutter-group");
  if (!row) return;
  const stopOf = (one: Element) => one.matches("[data-row]")
    ? one as HTMLElement : one.querySelector<HTMLElement>("[data-row]");
  const go = (to: HTMLElement | null | undefined) => {
    to?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const acts = [...row.querySelectorAll<HTMLElement>(".acts button")];
  const at = acts.indexOf(target);
  // In the order in which they stand, whatever that in the page is.
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(
    ".gutter-track, .gutter-group")].sort((a, b) =>
    a.offsetTop - b.offsetTop);
  const here = rows.indexOf(row);
  const beside = (by: number) => rows[here + by] && stopOf(rows[here + by]!);
  switch (event.key) {
    case "ArrowDown": return go(beside(1));
    case "ArrowUp": return go(beside(-1));
    case "ArrowRight": return go(acts[at + 1]);
    case "ArrowLeft": return go(at > 0 ? acts[at - 1] : stopOf(row));
  }
}

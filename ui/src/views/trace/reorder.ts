// SPDX-License-Identifier: Apache-2.0
//
// The order of tracks and of groups: by the buttons of a row, or by dragging
// its name. A track stays in its group; among the pinned ones it is free.
import { signal } from "@preact/signals";
import { rowAt, type Row, type TrackRow } from "../../model/layout.ts";
import { withMove } from "../../model/order.ts";
import { toast } from "../../shell/Toast.tsx";
import { RULER_HEIGHT } from "../../worker/protocol.ts";
import * as s from "./store.ts";

/** Where what is dragged would go, in pixels from the top of all rows. */
export const dropLine = signal<number | null>(null);
/** A press that moves less is a click. */
const DRAG_PX = 5;

const sameList = (a: Row, b: Row) => a.type === "group"
  ? b.type === "group" && a.group >= 0 && b.group >= 0
  : b.type === "track" && a.pinned === b.pinned &&
    (a.pinned || a.group === b.group);

function put(row: Row, target: Row, after: boolean): void {
  const { moved, movedGroups, pinned } = s.settings.value;
  if (row.type === "group")
    return s.changeSettings({ movedGroups: withMove(movedGroups,
      { id: row.group, by: (target as typeof row).group, after }) });
  const by = (target as TrackRow).track;
  if (!row.pinned)
    return s.changeSettings(
      { moved: withMove(moved, { id: row.track, by, after }) });
  const rest = pinned.filter((one) => one !== row.track);
  rest.splice(rest.indexOf(by) + (after ? 1 : 0), 0, row.track);
  s.changeSettings({ pinned: rest });
}

/** One place up or down in its list; nothing at the ends. */
export function moveBy(row: Row, by: -1 | 1): void {
  const list = s.layout.value.rows.filter((one) => sameList(row, one));
  const at = list.findIndex((one) => one.y === row.y);
  const target = list[at + by];
  if (target) put(row, target, by > 0);
}

function targetAt(row: Row, y: number): { row: Row; after: boolean } | null {
  const { rows } = s.layout.value;
  const under = rowAt(s.layout.value, y);
  if (!under) return null;
  if (row.type === "track")
    return sameList(row, under)
      ? { row: under, after: y > under.y + under.height / 2 } : null;
  // A group goes behind all tracks of another.
  const heads = rows.filter((one) => sameList(row, one));
  const target = heads.findLast((one) => one.y <= y) ?? heads[0];
  if (!target) return null;
  const next = heads[heads.indexOf(target) + 1];
  const end = next?.y ?? s.layout.value.height;
  return { row: target, after: y > (target.y + end) / 2 };
}

/** A press on the name of a row, which may become a drag. */
export function startDrag(event: PointerEvent, row: Row): void {
  if (event.button !== 0 || row.group < 0 && row.type === "group") return;
  const gutter = (event.currentTarget as HTMLElement).closest(".gutter")!;
  const from = event.clientY;
  let target: ReturnType<typeof targetAt> = null;
  let moved = false;
  const move = (next: PointerEvent) => {
    moved ||= Math.abs(next.clientY - from) > DRAG_PX;
    if (!moved) return;
    const y = next.clientY - gutter.getBoundingClientRect().top -
      RULER_HEIGHT;
    target = targetAt(row, y);
    const rows = s.layout.value.rows;
    const end = target && (row.type === "track" || !target.after
      ? target.row.y + target.row.height
      : rows.find((one) => one.type === "group" &&
        one.y > target!.row.y)?.y ?? s.layout.value.height);
    dropLine.value = target && (target.after ? end : target.row.y);
  };
  const end = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", end);
    removeEventListener("keydown", escape);
    dropLine.value = null;
  };
  const up = () => {
    end();
    if (!moved) return;
    // The press that ends a drag is no click on what is below.
    const swallow = (click: Event) => click.stopPropagation();
    addEventListener("click", swallow, true);
    setTimeout(() => removeEventListener("click", swallow, true));
    if (target) put(row, target.row, target.after);
    else toast(row.type === "group" ? "Groups go between groups."
      : "A track stays in its group. Pin it to have it beside others.");
  };
  const escape = (key: KeyboardEvent) => {
    if (key.key === "Escape") end();
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("pointercancel", end);
  addEventListener("keydown", escape);
}

// SPDX-License-Identifier: Apache-2.0
//
// Where the boxes of a flame graph stand, and who took most time. Pure.
import type { FlameBox, FlameInfo } from "../generated/answers.ts";
import { partOf } from "./shares.ts";
import type { Column, Data } from "./table.ts";

/** Narrower boxes are left out, as a share of the width. */
const LEAST = 0.0015;

interface Placed {
  box: FlameBox;
  /** Shares of the width. */
  left: number;
  width: number;
}

/** Boxes that are seen when `wide` from `from` on fills the width. */
export function placeFlame(boxes: FlameBox[], from: number, wide: number)
  : Placed[] {
  const within = (at: number) => Math.min(1, Math.max(0, (at - from) / wide));
  return boxes.map((box) => {
    const left = within(box.x);
    return { box, left, width: within(box.x + box.w) - left };
  }).filter(({ width }) => width >= LEAST);
}

export const levelsOf = (placed: Placed[]) =>
  Math.max(0, ...placed.map(({ box }) => box.depth)) + 1;

export const matches = (name: string, query: string) =>
  name.toLowerCase().includes(query.trim().toLowerCase());

/** Pixels: a row with a name, and one with the time below the name. */
const ROW = 19;
const TALL_ROW = 38;

/** Few levels are higher than many, so that they fill `room` pixels. */
export function flameRow(levels: number, room: number): number {
  const fitting = Math.floor(room / Math.max(1, levels));
  return Math.max(ROW, Math.min(TALL_ROW, fitting));
}

/** Whether a second line has room below the name. */
export const hasTwoLines = (row: number) => row >= 32;

const column = (key: string, title: string, type: Column["type"],
  meaning: string): Column => ({ key, title, type, unit: "", meaning });
const OWN_COLUMNS: Column[] = [
  column("name", "Name", "text", "of the calls"),
  column("own", "Own time", "time", "of all calls with this name, without " +
    "what they call"),
  column("share", "Share", "ratio", "of the time of the whole graph"),
  column("calls", "Calls", "count", "with this name"),
];

/** Functions of an inverted graph: each stands there once, with own times. */
export const functionsOf = (inverted: FlameInfo): FlameBox[] =>
  inverted.boxes.filter((one) => one.depth === 0 && one.w > 0);

export function dataOfFunctions(functions: FlameBox[], whole: number): Data {
  return { columns: OWN_COLUMNS, count: functions.length,
    cell: (row, at) => {
      const { name, w, calls } = functions[row]!;
      return [name, w, partOf(w, whole), calls][at]!;
    } };
}

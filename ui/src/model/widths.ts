// SPDX-License-Identifier: Apache-2.0
//
// Widths of columns from the length of their texts. Pure.
import { cellText, headText, type TimeUnit } from "./cell.ts";
import type { Data } from "./table.ts";

const PER_CHARACTER = 7.6;
const PADDING = 26;
const LEAST = 64;
const MOST = 240;
const BAND = 300;
const LOOKED_AT = 200;
// Sentences, which take the room that others leave.
const PROSE = "headline";
const SENTENCE = 240;

function columnWidth(
  data: Data, column: number, unit: TimeUnit): number {
  const declared = data.columns[column]!;
  // A picture of where the row lies in a step.
  if (declared.key === "band") return BAND;
  if (declared.key === PROSE) return SENTENCE;
  let longest = headText(declared, unit).length + 1;
  const step = Math.max(1, Math.floor(data.count / LOOKED_AT));
  for (let row = 0; row < data.count; row += step)
    longest = Math.max(
      longest, cellText(data.cell(row, column), declared, unit).length);
  return Math.round(Math.min(MOST, Math.max(
    LEAST, longest * PER_CHARACTER + PADDING)));
}

const NAME = 260;
const LAST = 34;
/** Narrower ones could not be taken hold of. */
export const LEAST_WIDTH = 40;

/**
 * The columns of the grid. The first takes the room that is left, if it is
 * text; else the last one does, which has the row's button. `chosen`: widths
 * that a reader gave, by key.
 */
export function gridOf(data: Data, columns: number[], unit: TimeUnit,
  chosen: Record<string, number> = {})
  : { template: string; least: number; widths: number[] } {
  const given = (column: number) => chosen[data.columns[column]!.key];
  const first = columns[0];
  const takesRest = first !== undefined && given(first) === undefined &&
    data.columns[first]?.type === "text";
  const widths = columns.map((column, i) => given(column) ??
    (i === 0 && takesRest ? NAME : columnWidth(data, column, unit)));
  return {
    template: [
      ...widths.map((width, i) => i === 0 && takesRest
        ? `minmax(${width}px, 1fr)`
        : data.columns[columns[i]!]?.key === PROSE
          ? `minmax(${width}px, 3fr)` : `${width}px`),
      takesRest ? `${LAST}px` : `minmax(${LAST}px, 1fr)`,
    ].join(" "),
    least: widths.reduce((sum, width) => sum + width, LAST),
    widths,
  };
}

// SPDX-License-Identifier: Apache-2.0
//
// Where the labels of marked times stand: in the middle of what is seen of
// their time, and one below the other where they would meet. Pure.
interface BandLabel {
  /** What is seen of the band. */
  x0: number;
  x1: number;
  /** Of the label. */
  width: number;
}
interface LabelPlace {
  x: number;
  row: number;
}
/** More would hide the tracks; those that are left share the last row. */
export const MOST_ROWS = 6;
const GAP = 4;

export function placeLabels(
  labels: readonly BandLabel[], room: number): LabelPlace[] {
  const taken: { x0: number; x1: number }[][] = [];
  return labels.map(({ x0, x1, width }) => {
    const x = Math.max(0, Math.min(room - width, (x0 + x1 - width) / 2));
    const meets = (row: number) => (taken[row] ?? []).some((one) =>
      x < one.x1 + GAP && x + width + GAP > one.x0);
    let row = 0;
    while (row < MOST_ROWS - 1 && meets(row)) row++;
    (taken[row] ??= []).push({ x0: x, x1: x + width });
    return { x, row };
  });
}

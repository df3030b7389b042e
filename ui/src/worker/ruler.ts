// SPDX-License-Identifier: Apache-2.0
//
// The ruler: round times, counted from the start of the step when one fills
// the view, else from the start of the trace. And the lines through all tracks.
import { ticksOf, timeToX } from "../model/axis.ts";
import { formatTick } from "../model/format.ts";
import type { StepIndex } from "../model/steps.ts";
import { columnAt, type Columns } from "./columns.ts";
import type { Paints } from "./paints.ts";
import { RULER_HEIGHT, type View } from "./protocol.ts";
import type { Backdrop } from "./scan.ts";
import { SMALL_FONT } from "./text.ts";

interface Ticks {
  base: number;
  step: number;
  times: number[];
}
export function rulerTicks(steps: StepIndex, view: View): Ticks {
  const base = steps.around(view)?.start ?? 0;
  const { step, times } = ticksOf(
    { t0: view.t0 - base, t1: view.t1 - base }, view.width);
  return { base, step, times };
}

/** Lines nearer to each other than this would hide what they divide. */
const LEAST_STEP_PX = 7;

/** Where steps begin and end, while they are far enough from each other. */
function stepBorders(steps: StepIndex, view: View,
  column: (time: number) => number): number[] {
  const borders: number[] = [];
  let seen = 0;
  steps.seen(view, view.width, 2, (step) => {
    seen++;
    borders.push(column(step.start), column(step.end));
  });
  return seen * LEAST_STEP_PX > view.width ? [] : borders;
}

export function backdropOf(steps: StepIndex, view: View, columns: Columns,
  ticks: Ticks, width: number): Backdrop {
  const column = (time: number) => columnAt(columns, time) - columns.first;
  const inside = (x: number) => x >= 0 && x < width;
  return {
    grid: ticks.times.map((time) => column(time + ticks.base)).filter(inside),
    steps: stepBorders(steps, view, column).filter(inside),
  };
}

export function drawRuler(context: OffscreenCanvasRenderingContext2D,
  view: View, ticks: Ticks, paints: Paints): void {
  context.fillStyle = paints.css.card;
  context.fillRect(0, 0, view.width, RULER_HEIGHT);
  context.fillStyle = paints.css.line;
  context.fillRect(0, RULER_HEIGHT - 1, view.width, 1);
  context.font = SMALL_FONT;
  context.textBaseline = "middle";
  for (const time of ticks.times) {
    const x = Math.round(timeToX(view, view.width, time + ticks.base));
    context.fillStyle = paints.css.line;
    context.fillRect(x, 0, 1, RULER_HEIGHT);
    context.fillStyle = paints.css.text2;
    const sign = ticks.base > 0 && time >= 0 ? "+" : "";
    context.fillText(sign + formatTick(time, ticks.step), x + 5, 13.5);
  }
}

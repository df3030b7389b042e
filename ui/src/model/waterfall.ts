// SPDX-License-Identifier: Apache-2.0
//
// The step's parts in order, with names, colours and geometry. Pure.
import type { Waterfall } from "../api/documents.ts";
import { idleKey } from "./palette.ts";

const TITLES: Record<string, string> = {
  "kernel": "GPU computes",
  "copy": "GPU copies",
  "communication exposed": "Communication, exposed",
  "launch gap": "Launch gap",
  "input stall": "Input stall",
  "host sync": "Host waits for GPU",
  "other CPU": "CPU only, GPU idle",
  "unexplained": "Unexplained",
};

export function partTitle(name: string): string {
  return TITLES[name] ?? name;
}

/** Key of the part's colour; in CSS it is --c-KEY. */
export function partColour(name: string): string {
  return name === "kernel" ? "kernel" : idleKey(name);
}

export interface Bar {
  name: string;
  title: string;
  colour: string;
  /** A time of one step: the recorded sum over its steps. */
  perStep: number;
  ratio: number;
  formula: string;
  /** Shares of the step where the bar begins and how long it is. */
  x: number;
  w: number;
}

/** "ns a step": a unit, not a new figure; 0 steps give the sum itself. */
export function perStep(total: number, steps: number): number {
  return steps > 0 ? total / steps : total;
}

/** The parts; those that nobody has are left out, the last one never. */
export function barsOf(waterfall: Waterfall): Bar[] {
  const steps = waterfall.per_step.length;
  const whole = waterfall.step_ns || 1;
  let x = 0;
  return waterfall.parts.flatMap((part, i) => {
    const bar: Bar = {
      name: part.name, title: partTitle(part.name),
      colour: partColour(part.name), perStep: perStep(part.time_ns, steps),
      ratio: part.ratio, formula: part.formula, x, w: part.time_ns / whole,
    };
    x += bar.w;
    const shown = part.time_ns > 0 || i === waterfall.parts.length - 1;
    return shown ? [bar] : [];
  });
}

export interface Column {
  label: string;
  index: number;
  pid: number;
  total: number;
  warmup: boolean;
  outlier: boolean;
  parts: { name: string; colour: string; y: number; h: number;
    value: number }[];
}

/** Stacked columns of the steps; heights are shares of `most`. */
export function stackOf(
  steps: { index: number; pid: number; values: number[] }[],
  names: string[], colour: (name: string) => string,
  marks: { warmup: Set<number>; outliers: Set<number> },
): { columns: Column[]; most: number } {
  const totals = steps.map((step) =>
    step.values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(1, ...totals);
  return {
    most,
    columns: steps.map((step, i) => {
      let y = 0;
      return {
        label: String(step.index), index: step.index, pid: step.pid,
        total: totals[i]!, warmup: marks.warmup.has(step.index),
        outlier: marks.outliers.has(step.index),
        parts: step.values.map((value, p) => {
          const part = { name: names[p] ?? "", value,
            colour: colour(names[p] ?? ""), y, h: value / most };
          y += part.h;
          return part;
        }),
      };
    }),
  };
}

/** Round numbers up to `most`, at most `count` of them, 0 included. */
export function niceTicks(most: number, count = 4): number[] {
  if (!(most > 0)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power)
    .find((n) => n >= rough)!;
  const ticks: number[] = [];
  for (let i = 0; i * step <= most * 1.0001; i++) ticks.push(i * step);
  return ticks;
}

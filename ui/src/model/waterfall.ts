// SPDX-License-Identifier: Apache-2.0
//
// The step's parts in order, with names, colours and geometry. Pure.
import type { GroupInfo, PartStep, StepPart } from "../generated/answers.ts";
import { PARTS, type Hue } from "../generated/looks.ts";
import { lookOf } from "./palette.ts";
import { mostOf } from "./shares.ts";

/** `device`: whether one was recorded, which the rest is said beside. */
export function partTitle(name: string, device = true): string {
  const { title, alone } = lookOf(PARTS, name);
  return device ? title : alone ?? title;
}

export const partColour = (name: string): Hue => lookOf(PARTS, name).hue;

/** The row of step_parts that is the step itself. */
const WHOLE = "step";

export interface Bar extends StepPart {
  title: string;
  colour: Hue;
  /** Where it begins, as a share of the step. Its length is its ratio. */
  x: number;
}

/** The parts; those that nobody has are left out, the last one never. */
export function barsOf(rows: StepPart[], device = true): Bar[] {
  const parts = rows.filter((row) => row.part !== WHOLE);
  let x = 0;
  return parts.flatMap((row, i) => {
    const bar: Bar = { ...row, x, title: partTitle(row.part, device),
      colour: partColour(row.part) };
    x += row.ratio;
    return row.ratio > 0 || i === parts.length - 1 ? [bar] : [];
  });
}

export function wholeOf(rows: StepPart[]): StepPart | undefined {
  return rows.find((row) => row.part === WHOLE);
}

/** A step with what it consists of, and itself. */
export interface StepValues {
  /** null: the recorded window, where no steps were. */
  index: number | null;
  pid: number;
  values: number[];
  total: number;
}

/** The parts of each step, in the order in which they come. */
export function partsByStep(rows: PartStep[]): {
  names: string[];
  steps: StepValues[];
} {
  const names = [...new Set(rows.map((row) => row.part))];
  const steps = new Map<string, StepValues>();
  for (const row of rows) {
    const key = `${row.pid}.${row.index}`;
    const step = steps.get(key) ?? { index: row.index, pid: row.pid,
      values: names.map(() => 0), total: row.step_ns };
    step.values[names.indexOf(row.part)] = row.time_ns;
    steps.set(key, step);
  }
  return { names, steps: [...steps.values()] };
}

/** What processes with steps are called: by rank, or else by number. */
export function processNames(groups: GroupInfo[]): Map<number, string> {
  return new Map(groups.flatMap(({ pid, rank }): [number, string][] =>
    pid === undefined ? []
      : [[pid, rank == null ? `process ${pid}` : `rank ${rank}`]]));
}

export interface Column {
  label: string;
  /** Whose step it is; "": all are of one process. */
  process: string;
  index: number | null;
  pid: number;
  total: number;
  warmup: boolean;
  outlier: boolean;
  parts: { name: string; colour: Hue; y: number; h: number;
    value: number }[];
}

/** Stacked columns of the steps; heights are shares of `most`. */
export function stackOf(
  steps: StepValues[],
  names: string[], colour: (name: string) => Hue,
  marks: { warmup: Set<number>; outliers: Set<number>;
    processes: Map<number, string> },
): { columns: Column[]; most: number } {
  const most = mostOf(steps.map((step) => step.total));
  const several = new Set(steps.map((step) => step.pid)).size > 1;
  return {
    most,
    columns: steps.map((step) => {
      let y = 0;
      return {
        label: String(step.index ?? "all"), index: step.index, pid: step.pid,
        process: several ? marks.processes.get(step.pid) ?? "" : "",
        total: step.total,
        warmup: step.index !== null && marks.warmup.has(step.index),
        outlier: step.index !== null && marks.outliers.has(step.index),
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

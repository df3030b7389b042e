// SPDX-License-Identifier: Apache-2.0
//
// Ranks of a job: their colours, the trace that shows them together, and where
// a step of a rank is on the heat map. Pure.
import type { HeatMap, JobRow, RunInfo } from "../generated/answers.ts";
import { SERIES, type Hue } from "../generated/looks.ts";

// Ranks next to each other differ; a number stands beside each colour.
export const rankHue = (rank: number): Hue =>
  SERIES[Math.abs(rank) % SERIES.length]!;

/** The id of a job's traces on one timeline. */
export function togetherOf(run: RunInfo, job: JobRow): string {
  const all = run.workers.flatMap((worker) => worker.windows);
  if (job.windows.length === 1) return job.windows[0]!;
  return run.all && all.length === job.windows.length ? run.all.t
    : job.windows.join(".");
}

/** A folder whose files name different ranks is of one job, as far as known. */
export function isOfRanks(run: RunInfo): boolean {
  const ranks = run.workers.map((worker) => worker.rank);
  return run.all !== null && ranks.every((rank) => rank !== null) &&
    new Set(ranks).size === ranks.length;
}

/** "8 ranks", "ranks 0 and 3", "rank 7"; "": none is stated. */
export function ranksText(ranks: number[]): string {
  if (ranks.length === 0) return "";
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  return ranks.length <= 4
    ? `ranks ${ranks.slice(0, -1).join(", ")} and ${ranks.at(-1)}`
    : `${ranks.length} ranks`;
}

/** Height of a rank's row: all of few are large, and many can be told apart. */
export function rowHeight(ranks: number): number {
  return Math.max(2, Math.min(22, Math.floor(420 / Math.max(1, ranks))));
}

export interface HeatCell { row: number; column: number }

/** The cell under a point; null: beside the map. */
export function heatCellAt(map: HeatMap, width: number, x: number, y: number)
  : HeatCell | null {
  const columns = map.first.length;
  const row = Math.floor(y / rowHeight(map.ranks.length));
  const column = Math.floor((x / width) * columns);
  return row >= 0 && row < map.ranks.length && column >= 0 && column < columns
    ? { row, column } : null;
}

/** Moves a chosen cell by an arrow key; it stays on the map. */
export function movedCell(map: HeatMap, from: HeatCell | null, key: string)
  : HeatCell | null {
  const by: Record<string, [number, number]> = { ArrowUp: [-1, 0],
    ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = by[key];
  if (!step) return null;
  if (!from) return { row: 0, column: 0 };
  const within = (value: number, most: number) =>
    Math.max(0, Math.min(most, value));
  return { row: within(from.row + step[0], map.ranks.length - 1),
    column: within(from.column + step[1], map.first.length - 1) };
}

/** "step 7", "steps 8 to 11", "the recorded window". */
export function columnText(map: HeatMap, column: number): string {
  const [first, last] = [map.first[column]!, map.last[column]!];
  if (first < 0) return "the recorded window";
  return first === last ? `step ${first}` : `steps ${first} to ${last}`;
}

// SPDX-License-Identifier: Apache-2.0
//
// From an address to a window of a run. A selection survives when what stands
// above it changes, as long as it still exists. Pure.
import type { RunInfo, WindowInfo, WorkerInfo } from "../generated/answers.ts";

/** The worker of the address that stands for all of a job's together. */
export const ALL_WORKERS = "all";

export interface Picked {
  run: RunInfo;
  worker: WorkerInfo | null;
  all: boolean;
  windows: WindowInfo[];
  window: WindowInfo | null;
  /** It was deleted while it was shown. */
  gone?: boolean;
}

type Wanted = { run: string; worker: string; window: string };

/** The workers of a job, by the id of all of its windows: "t.t". */
export function workersOfJob(run: RunInfo, job: string): WorkerInfo[] {
  const wanted = new Set(job.split("."));
  return run.workers.filter((worker) =>
    worker.windows.some((one) => wanted.has(one.t)));
}

/** A short name for one of several jobs. */
export function jobName(run: RunInfo, job: string): string {
  const [first, ...others] = workersOfJob(run, job);
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return (first?.name ?? "?") + more;
}

/** A job of several windows that an address names; null: it names none. */
function jobOf(run: RunInfo, job: string): WindowInfo | null {
  return job.includes(".") && workersOfJob(run, job).length > 0
    ? { t: job, name: jobName(run, job) } : null;
}

// "time_2026_11_17_01_27_47_872969", as Paddle names its files.
const WHEN = /^time_(\d{4})_(\d\d)_(\d\d)_(\d\d)_(\d\d)_(\d\d)_(\d+)$/;

/**
 * What a window is called beside the name of its worker. `steps`: those of the
 * window, where it is open.
 */
export function windowTitle(name: string, worker: string | undefined,
  steps: { index: number }[] = []): string {
  const when = WHEN.exec(name);
  if (when) {
    const [, year, month, day, hour, minute, second, part] = when;
    return `${year}-${month}-${day} ${hour}:${minute}:${second}.` +
      part!.slice(0, 3);
  }
  if (name !== worker) return name;
  const [first, last] = [steps[0]?.index, steps.at(-1)?.index];
  if (first === undefined || last === undefined) return "whole recording";
  return first === last ? `step ${first}` : `steps ${first}–${last}`;
}

export function pickWindow(
  runs: RunInfo[],
  wanted: Wanted,
): Picked | null {
  const run = runs.find((one) => one.id === wanted.run) ?? runs[0];
  if (!run) return null;
  const together = run.all && wanted.worker === ALL_WORKERS ? run.all
    : jobOf(run, wanted.worker);
  if (together)
    return { run, worker: null, all: true, windows: [together],
      window: together };
  const worker =
    run.workers.find((one) => one.id === wanted.worker) ?? run.workers[0];
  const windows = worker?.windows ?? [];
  const window =
    windows.find((one) => one.t === wanted.window) ?? windows[0] ?? null;
  return { run, worker: worker ?? null, all: false, windows, window };
}

const samePlace = (a: Picked, b: Picked | null) => a.run.id === b?.run.id &&
  a.worker?.id === b.worker?.id && a.window?.name === b.window?.name;

/**
 * What to show when the list of runs changes under an address that stays. A
 * trace that is open stays when its file is deleted: the server still has it.
 * `next` is what the new list has for the address. Where that stands in the
 * same place, the file was replaced.
 */
export function keepOpen(runs: RunInfo[], open: Picked | null,
  next: Picked | null): Picked | null {
  const t = open?.window?.t;
  if (!open || !t || open.all || samePlace(open, next)) return next;
  const listed = runs.some((run) => run.workers.some((worker) =>
    worker.windows.some((one) => one.t === t)));
  return listed ? next : { ...open, gone: true };
}

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

/** Whether an address names a trace, or leaves it to the page. */
const namesOne = (wanted: Wanted) =>
  Boolean(wanted.run || wanted.worker || wanted.window);

function ofWorker(run: RunInfo, worker: WorkerInfo | undefined,
  window?: WindowInfo): Picked {
  const windows = worker?.windows ?? [];
  return { run, worker: worker ?? null, all: false, windows,
    window: window ?? windows[0] ?? null };
}

/**
 * What an address names; of what it leaves open, the first. Null: what it
 * names is not there. An id of a window is enough, wherever it stands.
 */
export function pickWindow(runs: RunInfo[], wanted: Wanted): Picked | null {
  if (wanted.window)
    for (const run of runs)
      for (const worker of run.workers) {
        const window = worker.windows.find((one) => one.t === wanted.window);
        if (window) return ofWorker(run, worker, window);
      }
  if (wanted.window) return null;
  const run = wanted.run ? runs.find((one) => one.id === wanted.run) : runs[0];
  if (!run) return null;
  const together = run.all && wanted.worker === ALL_WORKERS ? run.all
    : jobOf(run, wanted.worker);
  if (together)
    return { run, worker: null, all: true, windows: [together],
      window: together };
  const worker = run.workers.find((one) => one.id === wanted.worker);
  return wanted.worker && !worker ? null
    : ofWorker(run, worker ?? run.workers[0]);
}

/** What stands in the address for it. */
export function addressOf(picked: Picked): Wanted {
  const { run, worker, window, all } = picked;
  return { run: run.id, window: all ? "" : window?.t ?? "",
    worker: !all ? worker?.id ?? ""
      : window === run.all || window?.t === run.all?.t ? ALL_WORKERS
        : window!.t };
}

/** Another run: its worker of the same name, if it has one. */
export function inOtherRun(runs: RunInfo[], id: string,
  before: Pick<Picked, "worker" | "all">): Wanted {
  const run = runs.find((one) => one.id === id);
  const same = run?.workers.find((one) => one.name === before.worker?.name);
  return { run: id, window: "",
    worker: before.all && run?.all ? ALL_WORKERS : same?.id ?? "" };
}

/**
 * What to show of an address when the folder changes. Nothing ever takes the
 * place of a trace that is open: not a new file where the address names none,
 * and not another one when its own is deleted (the server still has it).
 */
export function pickNow(runs: RunInfo[], wanted: Wanted,
  open: Picked | null): Picked | null {
  if (open?.window && !namesOne(wanted))
    return pickWindow(runs, addressOf(open)) ?? { ...open, gone: true };
  const next = pickWindow(runs, wanted);
  return !next && open?.window ? { ...open, gone: true } : next;
}

/** Traces of a folder that it did not have before, newest first. */
export function newTraces(runs: RunInfo[], known: Set<string>)
  : { run: RunInfo; worker: WorkerInfo; window: WindowInfo }[] {
  return runs.flatMap((run) => run.workers.flatMap((worker) =>
    worker.windows.filter((one) => !known.has(one.t))
      .map((window) => ({ run, worker, window }))))
    .sort((a, b) =>
      Number(b.window.modified_ns ?? 0) - Number(a.window.modified_ns ?? 0));
}

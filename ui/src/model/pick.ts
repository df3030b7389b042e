// SPDX-License-Identifier: Apache-2.0
//
// From an address to a window of a run. A selection survives when what stands
// above it changes, as long as it still exists. Pure.
import type { RunInfo, WindowInfo, WorkerInfo } from "../api/types.ts";

/** The worker of the address that stands for all of a job's together. */
export const ALL_WORKERS = "all";

export interface Picked {
  run: RunInfo;
  worker: WorkerInfo | null;
  all: boolean;
  windows: WindowInfo[];
  window: WindowInfo | null;
}

export function pickWindow(
  runs: RunInfo[],
  wanted: { run: string; worker: string; window: string },
): Picked | null {
  const run = runs.find((one) => one.id === wanted.run) ?? runs[0];
  if (!run) return null;
  if (run.all && wanted.worker === ALL_WORKERS)
    return { run, worker: null, all: true, windows: [run.all],
      window: run.all };
  const worker =
    run.workers.find((one) => one.id === wanted.worker) ?? run.workers[0];
  const windows = worker?.windows ?? [];
  const window =
    windows.find((one) => one.t === wanted.window) ?? windows[0] ?? null;
  return { run, worker: worker ?? null, all: false, windows, window };
}

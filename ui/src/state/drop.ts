// SPDX-License-Identifier: Apache-2.0
//
// A file that is dropped on the page: it goes to the server in parts, and is
// opened when all of it is there.
import { signal } from "@preact/signals";
import { otherTrace } from "../model/route.ts";
import { api } from "./api.ts";
import { errorText } from "./load.ts";
import { navigate } from "./route.ts";
import { dismissFresh, loadRuns, runs } from "./trace.ts";

/** As the server takes them. */
const PART = 1 << 20;

export const dropping = signal<
  { name: string; done: number; total: number; error: string } | null>(null);
let current = new AbortController();

export function cancelDrop(): void {
  current.abort();
  dropping.value = null;
}

async function send(file: File, stop: AbortSignal): Promise<string> {
  let id = "";
  for (let at = 0; at < file.size; at += PART) {
    dropping.value = { name: file.name, done: at, total: file.size,
      error: "" };
    const answer = await api.postBytes("drop", { name: file.name,
      bytes: file.size, at, ...(id ? { id } : {}) },
    file.slice(at, at + PART), stop);
    id = answer.id;
    if (answer.why) throw new Error(answer.why);
    if (answer.t) return answer.t;
  }
  throw new Error("the file is empty");
}

async function show(t: string): Promise<void> {
  await loadRuns();
  if (runs.value.state !== "ready") return;
  for (const run of runs.value.value.runs)
    for (const worker of run.workers)
      if (worker.windows.some((window) => window.t === t)) {
        dismissFresh();
        return navigate(otherTrace(
          { run: run.id, worker: worker.id, window: t }), true);
      }
}

/** One after the other; the last one is shown. */
export async function dropFiles(files: readonly File[]): Promise<void> {
  current.abort();
  current = new AbortController();
  const stop = current.signal;
  let last = "";
  for (const file of files) {
    try {
      last = await send(file, stop);
    } catch (error) {
      if (stop.aborted) return;
      dropping.value = { name: file.name, done: 0, total: 0,
        error: errorText(error) };
      return;
    }
  }
  dropping.value = null;
  if (last) await show(last);
}

// SPDX-License-Identifier: Apache-2.0
//
// Which trace is shown: the runs of the folder, the one that the address
// names, its import, and what the server says about it.
import { computed, effect, signal } from "@preact/signals";
import type { Progress, Runs, TraceInfo } from "../generated/answers.ts";
import { takeTokenFromAddress } from "../api/token.ts";
import { learnShort } from "../model/names.ts";
import { isOfRanks } from "../model/job.ts";
import {
  addressOf, ALL_WORKERS, newTraces, pickNow, type Picked,
} from "../model/pick.ts";
import { ApiError } from "../api/client.ts";
import { api, serverGone, tokenRefused } from "./api.ts";
import { forget, noteTrace } from "./kept.ts";
import { errorText, expectReady, failed, type Load } from "./load.ts";
import { navigate, route } from "./route.ts";

export const runs = signal<Load<Runs>>({ state: "loading" });

/** What the address names. Does not change with the rest of the route. */
const wanted = computed(() => {
  const { run, worker, window } = route.value;
  return JSON.stringify([run, worker, window]);
});

let last: Picked | null = null;
let lastWanted = "";
/** What is open, while the address stays or names nothing else. */
function openNow(): Picked | null {
  const now = opening.peek();
  const same = lastWanted === wanted.value || wanted.value === NOTHING;
  return same && now.state === "ready" && now.t === last?.window?.t
    ? last : null;
}
const NOTHING = JSON.stringify(["", "", ""]);

/** What the address names; null: it is not there. */
export const picked = computed(() => {
  if (runs.value.state !== "ready") return null;
  const [run, worker, window] = JSON.parse(wanted.value) as string[];
  last = pickNow(runs.value.value.runs,
    { run: run!, worker: worker!, window: window! }, openNow());
  lastWanted = wanted.value;
  return last;
});

/** Traces that came after the page: an offer, never what is shown. */
const known = signal<Set<string> | null>(null);
export const fresh = computed(() => runs.value.state === "ready" && known.value
  ? newTraces(runs.value.value.runs, known.value) : []);
export function dismissFresh(): void {
  known.value = new Set([...known.value ?? [],
    ...fresh.value.map((one) => one.window.t)]);
}
function learnFirst(list: Runs): void {
  // A folder that was empty shows its first trace by itself.
  if (known.value || list.runs.length === 0) return;
  known.value = new Set(newTraces(list.runs, new Set())
    .map((one) => one.window.t));
}

const isEmptyRoute = () => wanted.value === NOTHING;

/** What SQL asks where the folder is a dataset; a trace dropped on it has its
 *  own address. "": a trace is shown. */
export const dataset = computed(() => runs.value.state === "ready" &&
  isEmptyRoute() ? runs.value.value.dataset ?? "" : "");

/** Nobody has said which of several traces: all of them are listed. */
export const atStart = computed(() => {
  const { view } = route.value;
  if (dataset.value) return false;
  if (view !== "" && view !== "traces" || !isEmptyRoute()) return false;
  if (runs.value.state !== "ready") return false;
  const traces = runs.value.value.runs.flatMap((run) =>
    run.workers.flatMap((worker) => worker.windows));
  return view === "traces" || traces.length > 1;
});

/** The list, and all ranks of a job, are shown without opening a trace. */
const needsTrace = computed(() => route.value.view !== "traces" &&
  !atStart.value && !dataset.value &&
  !(route.value.view === "distributed" && picked.value?.run.all));

/** What the page shows: where nobody has said it, what suits the folder. */
export const shownView = computed(() =>
  route.value.view || (dataset.value ? "sql" : atStart.value ? "traces" : ""));

/** A view is shown as it is, without an open trace. */
export const showsWithoutTrace = computed(() =>
  dataset.value ? shownView.value === "sql"
    : !needsTrace.value && (atStart.value || picked.value !== null ||
      route.value.view === "traces"));

/** The id of the shown trace, or "". */
export const traceId = computed(() => picked.value?.window?.t ?? "");

export type Opening =
  | { state: "none" }
  | { state: "loading"; progress: Progress }
  | { state: "cancelled" }
  | { state: "failed"; error: string; jobs?: string[] }
  /** The timeline of a large capture, coarse, until the trace is there. */
  | { state: "preview"; t: string; info: TraceInfo; progress: Progress }
  | { state: "ready"; t: string; info: TraceInfo };
export const opening = signal<Opening>({ state: "none" });

/**
 * What is known of the shown trace, once it is open or has a preview. Stays
 * the same object while an import goes on.
 */
const openInfo = computed(() =>
  opening.value.state === "ready" || opening.value.state === "preview"
    ? opening.value.info : null);
export const trace = computed<{ t: string; info: TraceInfo } | null>(() => {
  const info = openInfo.value;
  const t = traceId.value;
  const now = opening.peek();
  return info && (now.state === "ready" || now.state === "preview") &&
    now.t === t ? { t, info } : null;
});
/** Only the timeline has a picture so far, and a coarse one. */
export const isPreview = computed(() => openInfo.value?.preview != null);

/** A folder of ranks opens on the job. */
function openRanks({ runs: [run, another] }: Runs): void {
  if (run && !another && route.value.view === "" && isEmptyRoute() &&
    runs.value.state === "loading" && isOfRanks(run))
    navigate({ view: "distributed", run: run.id, worker: ALL_WORKERS });
}

export async function loadRuns(): Promise<void> {
  try {
    const value = await api.get("runs");
    learnFirst(value);
    openRanks(value);
    runs.value = { state: "ready", value };
  } catch (error) {
    if (tokenRefused.value) return;
    runs.value = { state: "failed", error: errorText(error) };
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** New files are offered by themselves; the request waits at the server. */
async function watchFolder(): Promise<void> {
  for (;;) {
    if (runs.value.state !== "ready" || tokenRefused.value) {
      await pause(1000);
      continue;
    }
    const generation = runs.value.value.generation;
    try {
      const answer = await api.get(
        "changes", { generation });
      serverGone.value = false;
      if (answer.generation !== generation) await loadRuns();
    } catch (error) {
      serverGone.value = error instanceof ApiError && error.status === 0;
      await pause(serverGone.value ? 2000 : 5000);
    }
  }
}

let current = new AbortController();

async function open(t: string, stop: AbortSignal): Promise<void> {
  opening.value = { state: "loading", progress: { state: "loading" } };
  try {
    let last = await api.post("open", { t }, stop);
    if (last.state !== "ready") forget(t);
    if (last.state !== "ready" && last.state !== "failed") {
      let asked = false;
      await api.lines("progress", { t }, (line) => {
        last = line;
        if (stop.aborted) return;
        const now = opening.value;
        opening.value = now.state === "preview" ? { ...now, progress: line }
          : { state: "loading", progress: line };
        if (!line.preview || asked) return;
        asked = true;
        void showPreview(t, line, stop);
      }, stop);
    }
    if (stop.aborted) return;
    expectReady(last);
    const info = await api.get("trace", { t }, stop);
    learnShort(info.short);
    noteTrace(t, info);
    if (!stop.aborted) opening.value = { state: "ready", t, info };
  } catch (error) {
    if (!stop.aborted)
      opening.value = failed(error);
  }
}

async function showPreview(t: string, progress: Progress,
  stop: AbortSignal): Promise<void> {
  try {
    const info = await api.get("trace", { t, preview: 1 }, stop);
    learnShort(info.short);
    if (!stop.aborted && opening.value.state === "loading")
      opening.value = { state: "preview", t, info, progress };
  } catch {
    // The trace itself comes, too.
  }
}

/** Resolves when that has ended, well or not. */
export async function reopen(): Promise<void> {
  current.abort();
  current = new AbortController();
  if (traceId.value) await open(traceId.value, current.signal);
  else opening.value = { state: "none" };
}

export async function cancelOpening(): Promise<void> {
  current.abort();
  opening.value = { state: "cancelled" };
  try {
    await api.post("cancel", { t: traceId.value });
  } catch {
    // It had ended; the page says "cancelled" and offers to open again.
  }
}

export function retryRuns(): void {
  tokenRefused.value = false;
  runs.value = { state: "loading" };
  void loadRuns();
}

/** The printed address, opened in a tab that shows the page already. */
export function followToken(): void {
  addEventListener("hashchange", () => {
    if (takeTokenFromAddress()) retryRuns();
  });
}

export function startTraceState(): void {
  void loadRuns();
  void watchFolder();
  let shown = "";
  effect(() => {
    const t = traceId.value;
    if (atStart.value || dataset.value) return;
    // The address names what is shown: a link means one trace for good.
    if (picked.value?.window && !picked.value.gone &&
      route.value.view !== "traces") {
      const address = addressOf(picked.value);
      queueMicrotask(() => navigate(address));
    }
    if (t === shown || !needsTrace.value) return;
    shown = t;
    // Not inside the effect: opening reads and writes other signals.
    queueMicrotask(() => void reopen());
  });
}

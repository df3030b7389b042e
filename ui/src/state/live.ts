// SPDX-License-Identifier: Apache-2.0
//
// The shown trace while its file changes: a recording that goes on, one that
// has ended since, a file that was written anew.
import { computed, effect, signal } from "@preact/signals";
import type { LiveInfo } from "../generated/answers.ts";
import { api } from "./api.ts";
import { loadRuns, opening, picked, reopen, traceId } from "./trace.ts";

const shown = computed(() => picked.value?.window ?? null);
export const isRecording = computed(() => shown.value?.recording === true);
/** The file is another one than what is shown of it. */
const isChanged = computed(() => shown.value?.changed === true);
/** Of what was whole, a change is an offer. Anything less comes by itself. */
export const isOffered = computed(() => isChanged.value &&
  opening.value.state === "ready" && opening.value.info.complete);

/** What the recording has so far; null: it is not known yet. */
export const live = signal<LiveInfo | null>(null);

const pause = (ms: number, stop: AbortSignal) => new Promise<void>((done) => {
  const timer = setTimeout(done, ms);
  stop.addEventListener("abort", () => {
    clearTimeout(timer);
    done();
  }, { once: true });
});

/** A tab that nobody sees asks nothing. */
const seen = () => document.hidden
  ? new Promise<void>((done) => document.addEventListener("visibilitychange",
    () => done(), { once: true })) : Promise.resolve();

/** The server says when there can be more. */
async function follow(t: string, stop: AbortSignal): Promise<void> {
  const LOST_MS = 5000;
  while (!stop.aborted) {
    await seen();
    let wait = LOST_MS;
    try {
      const info = await api.get("live", { t }, stop);
      if (stop.aborted) return;
      live.value = info;
      wait = info.again_ms;
    } catch {
      // The page says elsewhere that the server is gone.
    }
    await pause(wait, stop);
  }
}

/** What is shown as it is now; then the list says that it is. */
export async function update(): Promise<void> {
  await reopen();
  await loadRuns();
}

export function startFollowing(): void {
  let stop = new AbortController();
  effect(() => {
    const t = isRecording.value ? traceId.value : "";
    stop.abort();
    stop = new AbortController();
    live.value = null;
    if (t) void follow(t, stop.signal);
  });
  // Each state of a file is opened once, whatever comes of it.
  let taken = "";
  effect(() => {
    const now = opening.value;
    const window = shown.value;
    if (now.state !== "ready" || !window?.changed || now.info.complete) return;
    const { t, bytes, modified_ns, recording } = window;
    const state = JSON.stringify([t, bytes, modified_ns, recording]);
    // While it is recorded, the reader says when to take what is new.
    if (state === taken || recording && now.info.recording) return;
    taken = state;
    queueMicrotask(() => void update());
  });
}

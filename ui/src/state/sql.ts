// SPDX-License-Identifier: Apache-2.0
//
// The query that runs, its rows, and tracks that were made of rows.
import { computed, signal } from "@preact/signals";
import type { SqlRows, StageInfo } from "../generated/answers.ts";
import { api } from "./api.ts";
import { errorText, type Load } from "./load.ts";
import { dataset, traceId } from "./trace.ts";

/** What is asked: the dataset of the folder, else the shown trace. */
const subject = computed(() => dataset.value || traceId.value);

export interface Asked {
  t: string;
  sql: string;
  ms: number;
  load: Load<SqlRows>;
}
const last = signal<Asked | null>(null);
/** Of what is shown. */
export const asked = computed(() =>
  last.value?.t === subject.value ? last.value : null);

let number = 0;
let running = { id: "", stop: new AbortController() };

export async function ask(sql: string): Promise<void> {
  const t = subject.value;
  if (!t || !sql.trim()) return;
  await stopAsking();
  // Nobody else stops it by chance.
  const id = `${Date.now()}-${crypto.getRandomValues(new Uint32Array(1))[0]}` +
    `-${++number}`;
  running = { id, stop: new AbortController() };
  const { signal: stop } = running.stop;
  const began = performance.now();
  const set = (load: Load<SqlRows>) => {
    if (running.id === id)
      last.value = { t, sql, ms: performance.now() - began, load };
  };
  set({ state: "loading" });
  try {
    set({ state: "ready", value: await api.get("sql", { t, q: sql, id },
      stop) });
  } catch (error) {
    set({ state: "failed", error: errorText(error) });
  }
}

/** The server ends it; its answer then says so. */
export async function stopAsking(): Promise<void> {
  if (last.value?.load.state !== "loading") return;
  await api.post("sql_stop", { id: running.id }).catch(() => {});
}

/** Tracks that were made of rows; they are of this page alone. */
interface RowTrack {
  t: string;
  /** Below zero: no group of the trace. */
  group: number;
  name: string;
  spans: StageInfo[];
}
const MOST_TRACKS = 5;
const all = signal<RowTrack[]>([]);
export const rowTracks = computed(() =>
  all.value.filter((one) => one.t === traceId.value));

export const nextRowGroup = () =>
  -1 - all.value.reduce((most, { group }) => Math.max(most, -group), 0);
export function addRowTrack(track: Omit<RowTrack, "t">): void {
  all.value = [...all.value, { t: traceId.value, ...track }]
    .slice(-MOST_TRACKS);
}
export function removeRowTrack(group: number): void {
  all.value = all.value.filter((one) => one.group !== group);
}

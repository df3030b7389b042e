// SPDX-License-Identifier: Apache-2.0
//
// What the server says, as docs/formats/http.md has it. Times are integer
// nanoseconds from the trace's origin.
export interface WindowInfo {
  t: string;
  name: string;
  file?: string;
  format?: string;
  bytes?: number;
  state?: OpenState;
  error?: string;
}
export interface WorkerInfo {
  id: string;
  name: string;
  rank: number | null;
  host?: string;
  pid?: number;
  windows: WindowInfo[];
}
export interface RunInfo {
  id: string;
  name: string;
  workers: WorkerInfo[];
  /** The whole job as one timeline, when there are several workers. */
  all: WindowInfo | null;
}
export interface Runs {
  stepscope: string;
  folder: string;
  generation: number;
  runs: RunInfo[];
}

type OpenState = "new" | "loading" | "ready" | "failed";
export interface Progress {
  state: OpenState;
  done?: number;
  total?: number;
  stage?: string;
  error?: string;
  /** A coarse picture can be asked for until the trace is ready. */
  preview?: boolean;
  /** The files are of several jobs: what to open instead, one of these. */
  jobs?: string[];
}

export interface GroupInfo {
  id: number;
  name: string;
  detail: string;
  kind: "process" | "device";
  pid?: number;
  rank?: number | null;
}
export type TrackKind =
  | "thread" | "async" | "python" | "stream" | "stage" | "counter" | "memory"
  | "queue" | "busy" | "occupancy";
export interface TrackInfo {
  id: number;
  group: number;
  kind: TrackKind;
  name: string;
  detail: string;
  events: number;
  depth: number;
  unit?: string;
}
export interface StepInfo {
  index: number;
  start: number;
  end: number;
  dur: number;
  warmup: boolean;
  group?: number | null;
}
/** Every input record is in one bin: kept, repaired or rejected. */
export interface Ledger {
  seen?: number;
  kept?: number;
  repaired?: Record<string, number>;
  rejected?: Record<string, number>;
}
export interface StageInfo {
  name: string;
  start: number;
  end: number;
  dur: number;
  group: number | null;
  /** Not recorded as such: read from the names of events. */
  inferred: boolean;
}
export interface TraceInfo {
  origin_ns: string;
  span_ns: number;
  events: number;
  /** Set where this is a coarse picture, of so many events of all. */
  preview?: { read: number; events: number } | null;
  names: number;
  groups: GroupInfo[];
  tracks: TrackInfo[];
  steps: StepInfo[];
  stages?: StageInfo[];
  classes: string[];
  idle_causes?: string[];
  levels: { min: number; max: number };
  complete: boolean;
  ledger: Ledger;
  /** Records in those bins of the ledger, together. */
  repaired: number;
  rejected: number;
  notes?: string[];
}

export interface EventRef {
  row: number;
  name: string;
  track: number;
  start: number;
  dur: number;
  depth?: number;
  class?: string;
  out?: boolean;
}
export interface NamedTime {
  row: number;
  name: string;
  dur: number;
  class?: string;
}
export interface SameName {
  calls: number;
  total: number;
  mean: number;
  min: number;
  max: number;
  p50: number;
  p90: number;
  p99: number;
  histogram: { edges: number[]; counts: number[] };
}
export interface EventInfo extends EventRef {
  name_id?: number;
  type: string;
  class: string;
  depth: number;
  self: number;
  /** Device work that was launched inside, a plain sum. */
  gpu?: number;
  flags?: string[];
  step: number | null;
  /** From the begin of that step; null: it begins elsewhere. */
  in_step: number | null;
  args: [string, unknown][];
  /** From the innermost. */
  ancestors: NamedTime[];
  children: number;
  launch: (EventRef & { ancestors: NamedTime[]; delay: number | null }) | null;
  /** The first of it; `launched_count` is of all. */
  launched: EventRef[];
  launched_count: number;
  flows: EventRef[];
  previous: number | null;
  next: number | null;
  parent: number | null;
  first_child: number | null;
  idle_before: number | null;
  facts?: { label: string; value: string }[];
  same_name: SameName;
}
export interface MarkInfo {
  events: number;
  busy: number;
  top: { name: string; events: number; time: number }[];
}
export interface FoundInfo {
  count: number;
  names: number;
  index: number;
  row: number;
  track: number;
  depth: number;
  start: number;
  dur: number;
}
export interface SelectRow {
  name: string;
  class: string;
  calls: number;
  total: number;
  self: number;
  mean: number;
  min: number;
  max: number;
  p50: number;
  p90: number;
  p99: number;
}
export interface FlameBox {
  name: string;
  depth: number;
  x: number;
  w: number;
  calls: number;
  class?: string;
}
export interface SelectInfo {
  events: number;
  rows: SelectRow[];
  flame: FlameBox[];
  flame_total?: number;
}
export interface CounterSeries {
  t: number[];
  min: number[];
  max: number[];
  last: number[];
}
export interface CriticalSegment {
  row: number | null;
  track?: number;
  depth?: number;
  start: number;
  dur: number;
  category?: string;
  why: string;
}

// SPDX-License-Identifier: Apache-2.0
//
// The documents of `summary`, `advise`, `whatif` and `compare`, as far as the
// views name their parts. Tables are read by their declared columns instead.
export interface StepTimes {
  steps: number;
  warmup: number;
  paced_by: string;
  period: {
    avg_ns: number; p25_ns: number; p50_ns: number; p75_ns: number;
    min_ns: number; max_ns: number;
  } | null;
  unprofiled_ns: number | null;
  slow_down: number | null;
}
interface TypeRow {
  type: string;
  calls: number;
  time_ns: number;
  ratio: number;
}
export interface Times {
  total_ns: number;
  avg_ns: number | null;
  max_ns: number | null;
  min_ns: number | null;
  ratio: number;
}
interface StageRow {
  name: string;
  calls: number | null;
  cpu: Times;
  gpu: Times;
  inferred: boolean;
}
interface Waterfall {
  step_ns: number;
  parts: { name: string; time_ns: number; ratio: number; formula: string }[];
  coverage: number;
  inputs: { processes: number; steps: number };
  per_step: { index: number; pid: number; parts_ns: number[] }[];
}
interface Benchmark {
  steps: number;
  skipped: number;
  reader_cost: { avg_ns: number; max_ns: number; min_ns: number } | null;
  batch_cost: { avg_ns: number; max_ns: number; min_ns: number } | null;
  reader_ratio: number | null;
  ips: { unit: string; avg: number; max: number; min: number } | null;
}
export interface MemoryPlace {
  place: string;
  peak_allocated_bytes: number;
  peak_reserved_bytes: number;
  rows: unknown[];
  peak_at_ns: number | null;
  live_at_peak: unknown[];
  before_recording_bytes: number | null;
  leak_candidates: unknown[];
}
interface OutlierRow {
  index: number;
  pid: number;
  dur_ns: number;
  median_ns: number;
  excess_ns: number;
  cause: string;
  cause_excess_ns: number;
}
export interface Ledger {
  seen: number;
  kept: number;
  repaired: Record<string, number>;
  rejected: Record<string, number>;
  no_launch?: number;
  outlives_parent?: number;
}
export interface SummaryDoc {
  source: { format: string; files: string[] };
  ledger: Ledger;
  steps: StepRow[];
  step_time: StepTimes | null;
  device: { name: string; utilization: number | null }[];
  overview: { cpu: TypeRow[]; gpu: TypeRow[] };
  model: StageRow[];
  distribution: Distribution | null;
  operator: unknown[];
  kernel: unknown[];
  memory_manipulation: unknown[];
  user_defined: unknown[];
  memory: MemoryPlace[];
  benchmark: Benchmark | null;
  waterfall: Waterfall | null;
  outliers: OutlierRow[];
  notes: string[];
  [table: string]: unknown;
}
interface StepRow {
  index: number;
  dur_ns: number;
  period_ns: number;
  warmup: boolean;
}
export interface Distribution {
  step_ns: number;
  communication_ns: number;
  computation_ns: number;
  overlap_ns: number;
  overlap_ratio: number | null;
}

interface Evidence {
  what: string;
  name: string;
  example: { name: string; start_ns: number } | null;
  range: { start_ns: number; dur_ns: number } | null;
}
export interface Advice {
  finding: string;
  id: string;
  saving_ns: number | null;
  low_ns: number | null;
  high_ns: number | null;
  saving_ratio: number | null;
  change: string | null;
  saving_basis: string;
  overlaps: { id: string; together_ns: number }[];
  evidence: Evidence[];
  try: string[];
}
export interface AdviseDoc {
  representative: boolean;
  doubts: string[];
  notes: string[];
  steps: number;
  step_ns: number | null;
  recorded_step_ns: number | null;
  device_busy: number | null;
  together_ns: number | null;
  advice: Advice[];
}
export interface WhatIfDoc {
  steps: number;
  recorded_step_ns: number;
  unprofiled_step_ns: number | null;
  changes: {
    change: string; step_ns: number; saving_ns: number; saving_ratio: number;
    low_ns: number; high_ns: number;
  }[];
  notes: string[];
}
export interface CompareDoc {
  verdict: string;
  summary: string;
  conclusive: boolean;
  median_a_ns: number;
  median_b_ns: number;
  ratio: number;
  low: number;
  high: number;
  p: number;
  resolvable: number | null;
  steps_needed: number | null;
  steps_a: number;
  steps_b: number;
  warmup_a: number;
  warmup_b: number;
  rows: { table: string }[];
  notes: string[];
}

// SPDX-License-Identifier: Apache-2.0
//
// What the server answers, declared once: page_source.cc makes the types of the
// page from it, and the test `viewer.contract` asks a server for everything and
// finds each field that differs. docs/formats/http.md says what they mean.
// Times are integer nanoseconds from the trace's origin.
#pragma once

#include <string_view>

namespace stepscope::server {

// A type of TypeScript: alternatives, or fields by semicolon.
// "a, b?: T": two of type T, the second of which may be left out. "...": there
// are more, which the page does not name.
struct AnswerType {
  std::string_view name;
  std::string_view is;
};
// clang-format off
inline constexpr AnswerType kAnswerTypes[] = {
    {"OpenState", R"("new" | "loading" | "ready" | "failed")"},
    {"WindowInfo", R"(t, name: string;
      file?, format?, modified_ns?, error?: string; bytes?: number;
      recording?, changed?: boolean; state?: OpenState)"},
    {"WorkerInfo", R"(id, name: string; rank: number | null;
      windows: WindowInfo[])"},
    // `all`: the whole job as one timeline, when there are several workers.
    {"RunInfo", R"(id, name: string; workers: WorkerInfo[];
      all: WindowInfo | null)"},
    {"SkippedFile", "file, why: string"},
    // `skipped`: the first files that are not shown; `skipped_count` of all.
    // `one_file`: it was named, so that no other can come. `dataset`: what `sql`
    // asks for as `t`, where the folder is one.
    {"Runs", R"(stepscope, folder, problem?, dataset?: string; one_file?: boolean;
      generation: number;
      runs: RunInfo[]; skipped_count: number; skipped: SkippedFile[])"},
    // `preview`: a coarse picture can be asked for until the trace is ready.
    // `jobs`: the files are of several; what to open instead, one of these.
    {"Progress", R"(state: OpenState; done?, total?: number;
      stage?, error?: string; preview?: boolean; jobs?: string[])"},
    // Of a file that is dropped on the page, part by part. With its last part:
    // `t`, or `why` it cannot be shown.
    {"DroppedInfo", "id, t, why: string; bytes: number"},
    {"ClockInfo", R"(method, offset_ns: string;
      drift_ppm, error_ns, error_ppm: number | null)"},
    {"GroupKind", R"("process" | "device")"},
    {"GroupInfo", R"(id: number; name, detail: string; kind: GroupKind;
      pid?: number; rank?: number | null; clock?: ClockInfo | null)"},
    {"TrackKind", R"("thread" | "async" | "python" | "stream" | "stage" |
      "iterations" | "path" | "counter" | "memory" | "queue" | "busy" | "occupancy")"},
    {"TrackInfo", R"(id, group, events, depth: number; kind: TrackKind;
      name, detail, unit?: string)"},
    {"StepInfo", R"(index, start, end, dur: number; warmup: boolean;
      group?: number | null)"},
    // `inferred`: read from the names of events, not recorded as such.
    {"StageInfo", R"(name: string; start, end, dur: number;
      group: number | null; inferred: boolean)"},
    // Every input record is in one bin: kept, repaired or rejected.
    {"Ledger", R"(seen, kept, no_launch?, outlives_parent?: number;
      repaired, rejected: Record<string, number>)"},
    {"SourceInfo", "format: string; files: string[]"},
    // Iterations and requests of an inference server; `groups` have threads
    // with iterations. `concluded`: nobody marked these.
    {"ServesInfo", R"(count, requests: number; kinds: string[]; groups: number[];
      concluded: boolean)"},
    {"PreviewInfo", "read, events: number"},
    {"LevelsInfo", "min, max: number"},
    // `serves`: by its names it may have iterations of a server.
    {"TraceInfo", R"(origin_ns, epoch_ns?: string;
      epoch_known?, complete: boolean; recording?: boolean;
      span_ns, events, names, repaired, rejected: number; events_end?: number;
      preview?: PreviewInfo | null; groups: GroupInfo[]; tracks: TrackInfo[];
      steps: StepInfo[]; stages?: StageInfo[]; serves?: boolean; idle_causes?: string[];
      classes: string[];
      short?: Record<string, string>; levels: LevelsInfo; source?: SourceInfo;
      ledger: Ledger; notes?: string[])"},
    // Of a recording that goes on: the last steps, the last values of counters,
    // what threads are in. `state` is null where it is too large to be read
    // again and again, or nothing is there yet.
    {"LiveStep", "index, start, dur: number; open: boolean"},
    {"LiveCounter", R"(name: string; last, min, max: number | null;
      t: number[]; values: (number | null)[])"},
    {"LiveOpen", "thread: number; thread_name, name: string; dur: number"},
    {"LiveState", R"(events, span_ns, lost, threads, step_count: number;
      steps: LiveStep[]; counters: LiveCounter[]; open: LiveOpen[])"},
    {"LiveInfo", R"(recording: boolean; bytes, again_ms: number;
      state: LiveState | null)"},
    {"Names", "all: boolean; names: string[]"},

    {"EventRef", R"(row, track, start, dur, depth: number; name, class: string;
      out?: boolean)"},
    {"NamedTime", "row, dur: number; name, class: string"},
    {"LaunchInfo", R"(row, track, depth, start, dur: number;
      name, class: string; ancestors: NamedTime[]; delay: number | null)"},
    {"Histogram", "edges, counts: number[]"},
    {"SameName", R"(calls, nested, total, mean, min, max, p50, p90, p99: number;
      histogram: Histogram)"},
    {"FactInfo", "label, value: string"},
    // The iteration of a server that an event is of, with the first of its
    // requests by number.
    {"RequestRef", "index: number; id: string"},
    {"IterationRef", R"(index, row, member_count: number; kind: string;
      members: RequestRef[])"},
    // `gpu`: work that was launched inside, a plain sum. `in_step`: from the
    // begin of that step; null: it begins elsewhere. `ancestors` come from the
    // innermost. `launched` is the first of it, `launched_count` of all.
    {"EventInfo", R"(row, track, depth, start, dur, self, children, launched_count: number;
      name_id?, gpu?: number; name, type, class: string; flags?: string[];
      step, in_step, previous, next, parent, first_child, idle_before: number | null;
      args: [string, string][]; ancestors: NamedTime[];
      iteration?: IterationRef | null;
      launch: LaunchInfo | null; launched, flows: EventRef[];
      facts?: FactInfo[]; same_name: SameName)"},
    {"MarkName", "name: string; events, time: number"},
    {"MarkInfo", R"(events, time, busy: number; names: number | null;
      top: MarkName[])"},
    // Where `count` is 0, `row` is null and what follows is left out.
    {"FoundInfo", R"(count, names, index, row, track, depth, start, dur: number;
      name, class: string)"},
    // The first of `count`, by time.
    {"HitsInfo", "count: number; rows: EventRef[]"},
    // `nested`: calls inside another of the row, which is a part of that.
    {"SelectRow", R"(name, class: string; name_id: number;
      on: "thread" | "stream" | "async";
      calls, nested, total, self, mean, min, max, p50, p90, p99: number)"},
    {"SelectInfo", "events, names: number; rows: SelectRow[]"},
    // `start`, `dur`: of the longest call.
    {"FlameBox", R"(name, class: string;
      depth, x, w, self, calls, start, dur: number)"},
    // `modules`: whether any call of an nn.Module was recorded.
    {"FlameInfo", "total: number; modules: boolean; boxes: FlameBox[]"},
    // `bytes`: of all addresses that were reserved, put one behind the other;
    // `ranges`: [where on the map, bytes, address]. `most_from`, `most_to`: the
    // shortest time in which 19 of 20 events happen.
    {"MemoryMapInfo", R"(id, pid, allocations, bytes, unit: number;
      place, process: string; peak_bytes, peak_at: number;
      most_from, most_to: number;
      peak_event: number | null; ranges: [number, number, string][])"},
    {"MemoryMaps", "places: MemoryMapInfo[]"},
    // By group, bytes at each time; the last group: before the recording.
    {"MemoryArea", R"(groups: string[]; t: number[];
      event: (number | null)[]; held: number[][])"},
    {"MemoryOwner", R"(name, module, line: string; row: number | null;
      frames: string[])"},
    {"MemoryBox", R"(id, bytes, padding_bytes, begin, event: number;
      address, category: string; found: boolean; end: number | null;
      allocated_by: MemoryOwner; freed_by: string | null)"},
    // Null: nothing is known of that pixel.
    {"CounterSeries", R"(t: number[]; min, max, last: (number | null)[];
      lowest?, highest?: number)"},
    {"IdleInfo", "parts: [number, number, number][]"},
    {"CriticalSegment", R"(row: number | null; track?, depth?: number;
      start, dur: number; category?, why: string)"},
    {"CriticalInfo", R"(replay_error: number | null; total: number;
      segments: CriticalSegment[])"},
    {"LocatedInfo", R"(count, row, track, depth, start, dur: number;
      name, class: string; first: EventRef)"},

    // Declarations of tables, and rows of those that only viewers ask for.
    {"DeclaredColumn", R"(key, type: string;
      title?, unit?, adds?, meaning?: string; columns?: DeclaredColumn[])"},
    {"DeclaredTable", R"(key, title, meaning?, shape?: string;
      columns: DeclaredColumn[])"},
    {"DeclaredTables", "tables: DeclaredTable[]"},
    {"Cell", "string | number | boolean | null"},
    // With its declaration where it is one of `summary`.
    {"FlatTable", R"(columns: DeclaredColumn[]; rows: Cell[][];
      facts?: Record<string, number>; key?, title?, meaning?, shape?: string;
      notes?: string[])"},
    // Of `table`, rows with their cells by name, as the page arranges them.
    {"StageStep", R"(index, pid, cpu_ns, gpu_ns: number; stage: string;
      step_cpu_ns, step_gpu_ns: number; ...)"},
    {"StageMean", "stage: string; cpu_ns, gpu_ns: number; inferred: boolean; ..."},
    {"TypeStage", R"(type, stage: string; device: boolean;
      calls, time_ns, ratio: number; ...)"},
    // Of a mean step; one row is the step itself.
    {"StepPart", "part, formula: string; mean_ns, ratio: number; ..."},
    // `index` is null for the recorded window, where no steps were.
    {"PartStep", R"(index: number | null; part: string;
      pid, time_ns, step_ns: number; ...)"},
    {"OverlapPart", "part: string; time_ns, ratio: number; ..."},
    {"DeviceUse", R"(device: string; name, capability: string | null;
      occupancy, occupancy_known, tensor_core, sm_efficiency: number | null;
      utilization, multiprocessors, memory_bytes: number | null;
      kernel_ns: number; ...)"},
    {"OperatorFlops", R"(name: string; on_device: boolean;
      calls, counted_calls, flops, time_ns, tflops_per_s: number;
      estimated_bytes, intensity, peak_ratio, roof_ratio: number | null;
      measured_intensity?: number | null; ...)"},
    {"StepFlops", R"(steps, flops, time_ns, devices, tflops_per_s: number;
      mfu, peak_tflops_per_s, peak_memory_gb_per_s, counted_ratio: number | null;
      ...)"},
    {"TableRows", R"(flops: OperatorFlops; mfu: StepFlops; stage_steps: StageStep; stage_means: StageMean;
      type_stages: TypeStage; step_parts: StepPart; part_steps: PartStep;
      overlap_parts: OverlapPart; device_use: DeviceUse)"},

    // Documents of the commands, as far as the page names their parts; it
    // reads tables by their declared columns.
    {"PeriodTimes", R"(avg_ns, p25_ns, p50_ns, p75_ns, min_ns, max_ns: number;
      ...)"},
    {"StepTimes", R"(steps, warmup: number; paced_by: string;
      period: PeriodTimes | null; unprofiled_ns, slow_down: number | null;
      ...)"},
    {"TypeRow", "type: string; calls, time_ns, ratio: number; ..."},
    {"Times", R"(total_ns, ratio: number; avg_ns, max_ns, min_ns: number | null;
      ...)"},
    {"StageRow", R"(name: string; calls: number | null; cpu, gpu: Times;
      inferred: boolean; ...)"},
    {"WaterfallPart", "name, formula: string; time_ns, ratio: number; ..."},
    {"WaterfallInputs", "processes, steps: number; ..."},
    {"WaterfallStep", R"(index: number | null; pid: number; parts_ns: number[];
      ...)"},
    {"Waterfall", R"(step_ns, coverage: number; parts: WaterfallPart[];
      inputs: WaterfallInputs; per_step: WaterfallStep[]; ...)"},
    {"Cost", "avg_ns, max_ns, min_ns: number; ..."},
    {"Speed", "unit: string; avg, max, min: number; ..."},
    {"Benchmark", R"(steps, skipped: number;
      reader_cost, batch_cost: Cost | null; reader_ratio: number | null;
      ips: Speed | null; ...)"},
    {"MemoryPlace", R"(place: string; process?: string;
      peak_allocated_bytes, peak_reserved_bytes: number;
      rows, live_at_peak, leak_candidates: unknown[];
      peak_at_ns, before_recording_bytes: number | null; ...)"},
    {"OutlierRow", R"(index, pid, dur_ns, median_ns, excess_ns, cause_excess_ns: number;
      cause: string; ...)"},
    {"StepRow", R"(index, start_ns, dur_ns, period_ns: number;
      device_start_ns: number | null; warmup: boolean; ...)"},
    {"Distribution", R"(step_ns, communication_ns, computation_ns, overlap_ns: number;
      overlap_ratio: number | null; ...)"},
    {"DeviceRow", "name: string; utilization: number | null; ..."},
    {"Overview", "cpu, gpu: TypeRow[]; ..."},
    {"SummaryDoc", R"(source: SourceInfo; ledger: Ledger; steps: StepRow[];
      step_time: StepTimes | null; device: DeviceRow[]; overview: Overview;
      model: StageRow[]; distribution: Distribution | null;
      operator, kernel, memory_manipulation, user_defined: unknown[];
      memory: MemoryPlace[]; benchmark: Benchmark | null;
      waterfall: Waterfall | null; outliers: OutlierRow[]; notes: string[];
      flops: OperatorFlops[]; mfu: StepFlops | null;
      [table: string]: unknown; ...)"},
    {"EventStart", "name: string; start_ns: number; ..."},
    {"TimeRange", "start_ns, dur_ns: number; ..."},
    {"Evidence", R"(what, name: string; example: EventStart | null;
      range: TimeRange | null; ...)"},
    {"Overlap", "id: string; together_ns: number; ..."},
    {"Advice", R"(finding, id, saving_basis: string; change: string | null;
      saving_ns, low_ns, high_ns, saving_ratio: number | null;
      overlaps: Overlap[]; evidence: Evidence[]; try: string[]; ...)"},
    {"AdviseDoc", R"(representative: boolean; doubts, notes, headline: string[];
      steps: number;
      step_ns, recorded_step_ns, device_busy, together_ns: number | null;
      advice: Advice[]; ...)"},
    {"ChangeRow", R"(change: string;
      step_ns, saving_ns, saving_ratio, low_ns, high_ns: number; ...)"},
    {"WhatIfDoc", R"(steps, recorded_step_ns: number; changes: ChangeRow[];
      unprofiled_step_ns: number | null; notes: string[]; ...)"},
    {"CompareRow", "table: string; ..."},
    {"CompareDoc", R"(verdict, summary, name_a, name_b: string;
      conclusive: boolean;
      ratio, low, high, p: number | null;
      median_a_ns, median_b_ns, steps_a, steps_b, warmup_a, warmup_b: number;
      resolvable, steps_needed: number | null; rows: CompareRow[];
      notes: string[]; ...)"},

    // The folder as a list: what is known of its traces without opening them,
    // and the jobs of those that were recorded together. `why`: it is
    // unreadable. `step_ns`: the median of settled steps.
    {"CardState", R"("waiting" | "reading" | "unread" | "whole" | "cut" |
      "recording" | "unreadable")"},
    {"TraceRow", R"(t, run, worker, file, format, modified_ns, why: string;
      state: CardState; bytes, events, steps, rejected: number;
      step_ns: number | null; ranks: number[]; headline: string[])"},
    // `id`: of its first window. Without tables yet, `headline` is empty.
    {"JobRow", R"(id, run, name, modified_ns: string;
      traces, bytes, ranks, steps: number; step_ns: number | null;
      headline, windows: string[])"},
    // `unread`: too large or too many to be read unasked.
    {"TraceList", R"(generation, done, total, unread: number; reading: string;
      traces: TraceRow[]; jobs: JobRow[])"},
    // Of the ranks of a job; while traces are read, only how many.
    {"MeasureInfo", "key, title, meaning: string"},
    {"JobInfo", R"(state: "reading" | "ready"; done, total: number;
      step_count?, matched?: number; job?: JobRow; jobs?: JobRow[];
      notes?: string[]; measures?: MeasureInfo[];
      stragglers?, ranks?, collectives?: FlatTable)"},
    {"JobSteps", "rank_steps: FlatTable"},
    // A row of `cells` per rank, a column per step or several, from `first`
    // to `last`; -1: not recorded.
    {"HeatMap", R"(measure: string; most: number; ranks, first, last: number[];
      cells: number[][])"},

    // Iterations and requests of an inference server. `bills`: the rules by
    // which its device time can be split, the usual one first; `busy_ns`: how
    // much there is. `start`, `dur`: where there are any. `kind`: of
    // iterations; null: of requests.
    {"BillInfo", "name, title, meaning: string"},
    {"LatencyInfo", R"(key, title, meaning: string; kind: string | null;
      count, p50, p90, p99: number; histogram: Histogram)"},
    // `concluded`: from what iterations were; empty: they were marked.
    {"ServingInfo", R"(engine, concluded: string; iterations, requests: number;
      start, dur, busy_ns: number; bills: BillInfo[];
      kinds: FlatTable; latencies: LatencyInfo[])"},
    // Those of a window as columns: `first` of `count` that share a pixel, the
    // kind with most of their time, and of requests and tokens those of the
    // fullest. `row` is the mark of the first; `chosen`: 1 where one is of the
    // request that was asked for.
    {"IterationSpots", R"(kinds: string[]; total: number;
      first, count, start, dur, kind, row, chosen: number[];
      requests, tokens: (number | null)[])"},
    // The first of `count` by arrival; phases with begin and length.
    {"RequestList", R"(count: number; table: FlatTable;
      queue, queue_dur, prefill, prefill_dur: (number | null)[];
      decode, decode_dur: (number | null)[])"},
    // `until`: with what the device did for it.
    {"IterationInfo", R"(index, row, start, dur, until, member_count: number;
      kind: string; cells, members: FlatTable)"},
    {"RequestInfo", R"(index, start, dur, iteration_count: number; id: string;
      cells, iterations: FlatTable)"},
    // Track, depth, start, duration of what the device did for them.
    {"IterationWork", "parts: [number, number, number, number][]"},

    // What SQL can ask for. `why`: DuckDB is not there.
    {"SqlColumn", "name, type: string; meaning?: string"},
    {"SqlTable", "name, meaning: string; columns: SqlColumn[]"},
    {"SqlQuery", "name, meaning, sql: string"},
    {"SqlSchema", R"(available: boolean; why: string; tables: SqlTable[];
      queries: SqlQuery[])"},
    // `more`: there are rows beyond these. Whole numbers that a page cannot
    // hold are text.
    {"SqlRows", "columns: SqlColumn[]; rows: Cell[][]; more: boolean"},
    {"SqlStopped", "stopped: boolean"},

    // By request.
    {"Folder", "generation: number"},
    {"Answers", R"(runs: Runs; changes: Folder; live: LiveInfo;
      open, cancel, progress: Progress; drop: DroppedInfo; trace: TraceInfo;
      names: Names; counter, host_busy: CounterSeries; idle: IdleInfo;
      mark: MarkInfo; select: SelectInfo; flame: FlameInfo;
      critical: CriticalInfo; event: EventInfo;
      memory: MemoryMaps; memory_area: MemoryArea; memory_box: MemoryBox;
      memory_held: FlatTable;
      find: FoundInfo; hits: HitsInfo; locate: LocatedInfo; summary: SummaryDoc;
      advise: AdviseDoc; whatif: WhatIfDoc; compare: CompareDoc;
      tables: DeclaredTables; table: FlatTable; traces, read: TraceList;
      job: JobInfo; job_steps: JobSteps; heat: HeatMap;
      serves: ServesInfo; serving: ServingInfo; iterations: IterationSpots;
      iteration: IterationInfo; requests: RequestList; request: RequestInfo;
      iteration_work: IterationWork;
      sql_schema: SqlSchema; sql: SqlRows; sql_stop: SqlStopped)"},
};
// clang-format on

}  // namespace stepscope::server

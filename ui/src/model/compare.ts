// SPDX-License-Identifier: Apache-2.0
//
// The comparison's words and columns. Pure.
import type { RunInfo, WindowInfo } from "../api/types.ts";
import type { DeclaredColumn } from "./declared.ts";

export function verdictTitle(verdict: string): string {
  return ({ same: "No difference beyond noise", slower: "B is slower",
    faster: "B is faster" } as Record<string, string>)[verdict] ?? verdict;
}

// `table`: whose rows are names of events, which a timeline can show.
export const PARTS: { value: string; text: string; table?: string }[] = [
  { value: "waterfall", text: "Parts of a step" },
  { value: "operator_cpu", text: "Operators, CPU", table: "operator" },
  { value: "operator_gpu", text: "Operators, GPU", table: "operator" },
  { value: "kernel", text: "Kernels", table: "kernel" },
  { value: "model", text: "Stages" },
  { value: "user_defined", text: "Your ranges", table: "user_defined" },
];

const column = (key: string, title: string, type: string, meaning: string)
  : DeclaredColumn => ({ key, title, type, meaning });

// `compare` has no declared table: its columns are named here.
export const COMPARE_COLUMNS: DeclaredColumn[] = [
  column("name", "Name", "text", "name in both traces"),
  column("shape", "Shapes", "text", "shapes of the inputs, where known"),
  column("a_ns", "A a step", "time", "time of a step of A, median"),
  column("b_ns", "B a step", "time", "time of a step of B, median"),
  column("difference_ns", "B − A", "time", "difference of the medians"),
  column("ratio", "Change", "ratio", "difference as a share of A"),
  column("noise_ns", "Noise", "time",
    "how far the difference would stray by chance"),
  column("p", "p", "number",
    "how often chance alone would show such a difference"),
  column("beyond_noise", "Verdict", "bool",
    "whether the difference is more than noise"),
  column("calls_a", "Calls in A", "count", "calls in all steps of A"),
  column("calls_b", "Calls in B", "count", "calls in all steps of B"),
  column("mean_a_ns", "Mean of A", "time", "mean over the steps of A"),
  column("mean_b_ns", "Mean of B", "time", "mean over the steps of B"),
];

/** Every window of every run, with a name that tells it apart. */
export function windowsOf(runs: RunInfo[])
  : { window: WindowInfo; text: string }[] {
  return runs.flatMap((run) => [
    ...(run.all ? [{ window: run.all, text: `${run.name} · all workers` }]
      : []),
    ...run.workers.flatMap((worker) => worker.windows.map((window) => ({
      window,
      text: [run.name, worker.name, window.name].filter((part, i, all) =>
        part && all.indexOf(part) === i).join(" · "),
    }))),
  ]);
}

// SPDX-License-Identifier: Apache-2.0
//
// The comparison's words and columns. Pure.
import type {
  CompareDoc, RunInfo, TraceList, TraceRow,
} from "../generated/answers.ts";
import { formatShare } from "./format.ts";
import { togetherOf } from "./job.ts";
import { placeName } from "./memory.ts";
import { jobName, workersOfJob } from "./pick.ts";
import { partTitle } from "./waterfall.ts";

/** What differs, and by how much; files by their last names. */
export function verdictTitle({ verdict, name_b: b, ratio }:
  Pick<CompareDoc, "verdict" | "name_b" | "ratio">): string {
  const by = ratio === null ? "" : ` by ${formatShare(Math.abs(ratio))}`;
  const name = b.slice(b.lastIndexOf("/") + 1);
  return ({ same: "No difference beyond noise",
    unknown: "Nothing can be concluded", slower: `${name} is slower${by}`,
    faster: `${name} is faster${by}` } as Record<string, string>)[verdict] ??
    verdict;
}

// `table`: whose rows are names of events, which a timeline can show.
export const PARTS: { value: string; text: string; table?: string }[] = [
  { value: "waterfall", text: "Parts of a step" },
  { value: "operator_cpu", text: "Operators, CPU", table: "operator" },
  { value: "operator_gpu", text: "Operators, GPU", table: "operator" },
  { value: "kernel", text: "Kernels", table: "kernel" },
  { value: "model", text: "Stages" },
  { value: "user_defined", text: "Your ranges", table: "user_defined" },
  { value: "memory", text: "Memory" },
];

/**
 * The words for a row of a part; null: it is a name of the program. `device`:
 * whether one was recorded.
 */
export function rowName(part: string, name: string, device: boolean)
  : string | null {
  if (part === "memory") return placeName(name);
  const words = partTitle(name, device);
  return words !== name ? words : null;
}

/** What a row's verdict says; null: without noise there is none. */
export function chipOf(row: {
  memory: boolean; beyond: boolean; known: boolean; difference: number;
  /** Neither side has any of it. */
  nothing: boolean;
}): { text: string; kind: "" | "bad" | "good" } | null {
  if (row.nothing) return null;
  if (!row.beyond) return row.known ? { text: "noise", kind: "" } : null;
  if (row.difference > 0)
    return { text: row.memory ? "more" : "slower", kind: "bad" };
  return { text: row.memory ? "less" : "faster", kind: "good" };
}

/** What can be compared with what is shown, and a name that tells it apart. */
export interface Choice { t: string; text: string }

const isRead = ({ state }: TraceRow) =>
  state !== "waiting" && state !== "reading" && state !== "unread";

/**
 * Traces of a run on one timeline. Only those of one job can be: of several,
 * each is a choice. As long as nobody has read them all, it is not known how
 * many there are, so all of them together are one.
 */
function togetherIn(run: RunInfo, list: TraceList | null): Choice[] {
  if (!run.all) return [];
  const all = [{ t: run.all.t, text: `${run.name} · all workers` }];
  const traces = list?.traces.filter((one) => one.run === run.id) ?? [];
  if (traces.length === 0 || !traces.every(isRead)) return all;
  return list!.jobs.filter((job) => job.run === run.id &&
    job.windows.length > 1).flatMap((job) => {
    const t = togetherOf(run, job);
    return t === run.all!.t ? all
      : [{ t, text: `${run.name} · ${jobName(run, t)}` }];
  });
}

/** Every window of every run, and the jobs. `list`: null where not known. */
export function choicesOf(runs: RunInfo[], list: TraceList | null): Choice[] {
  return runs.flatMap((run) => [
    ...togetherIn(run, list),
    ...run.workers.flatMap((worker) => worker.windows.map((window) => ({
      t: window.t,
      text: [run.name, worker.name, window.name].filter((part, i, all) =>
        part && all.indexOf(part) === i).join(" · "),
    }))),
  ]);
}

/** What is not among the choices, but an address or the server names it. */
export function jobText(runs: RunInfo[], t: string): string {
  const run = runs.find((one) => workersOfJob(one, t).length > 0);
  return run ? `${run.name} · ${jobName(run, t)}` : "another trace";
}

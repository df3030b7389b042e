// SPDX-License-Identifier: Apache-2.0
//
// "Show on timeline" of the tables of ranks: to the timeline of all ranks, or,
// where there are many, to that of the rank alone.
import type { JobRow, RunInfo } from "../generated/answers.ts";
import { ALL_WORKERS } from "../model/pick.ts";
import { fromFlat } from "../model/declared.ts";
import { objectsOf } from "../model/device_use.ts";
import {
  collectivePattern, longestDelay, placeOfStep, rangeOfStep, type RankStep,
} from "../model/rank_place.ts";
import { toast } from "../shell/Toast.tsx";
import { api } from "./api.ts";
import { errorText } from "./load.ts";
import { rangeAround } from "./locate.ts";
import { openTrace } from "./opened.ts";
import { navigate, stillHere } from "./route.ts";

/** So many ranks are opened as one timeline. */
const TOGETHER = 16;

/** Which job, and how its traces are called together. */
interface JobPlace {
  t: string;
  together: string;
  job: JobRow;
  run: RunInfo;
}

/** Where a trace is in the address, or several of a run. */
const toTrace = (t: string, all: boolean) => all
  ? { view: "trace", window: "", worker: t.includes(".") ? t : ALL_WORKERS }
  : { view: "trace", window: t, worker: "", run: "" };

async function stepOf(place: JobPlace, rank: number, step: number)
  : Promise<RankStep> {
  const { rank_steps: flat } =
    await api.get("job_steps", { t: place.t, rank });
  const steps = objectsOf<RankStep>(fromFlat(flat));
  const found = step < 0 ? longestDelay(steps)
    : steps.find((one) => one.step === step);
  if (!found) throw new Error("none of its steps was recorded");
  return found;
}

async function showTogether(place: JobPlace, step: RankStep): Promise<void> {
  const isWanted = stillHere();
  const info = await openTrace(place.together, new AbortController().signal);
  const { from, to, tracks } = placeOfStep(step, info);
  if (isWanted()) navigate({ ...toTrace(place.together, true), from, to,
    row: null,
    more: tracks.length > 0 ? { pin: tracks.join(",") } : {} }, true);
}

/** In the trace of the rank by itself, whose clock is its own. */
async function showAlone(place: JobPlace, step: RankStep): Promise<void> {
  const isWanted = stillHere();
  const { traces } = await api.get("traces");
  const own = traces.find((one) => place.job.windows.includes(one.t) &&
    one.ranks.includes(step.rank));
  if (!own) throw new Error(`no trace says that it is of rank ${step.rank}`);
  const info = await openTrace(own.t, new AbortController().signal);
  if (isWanted()) navigate({ ...toTrace(own.t, false), row: null, more: {},
    ...rangeOfStep(step, info) }, true);
}

/** A step of a rank; -1: the one in which others waited for it longest. */
export async function showRankStep(place: JobPlace, rank: number, step: number)
  : Promise<void> {
  try {
    const found = await stepOf(place, rank, step);
    await (place.job.traces > TOGETHER ? showAlone : showTogether)(
      place, found);
  } catch (error) {
    toast(`It cannot be shown: ${errorText(error)}`);
  }
}

/** The first collective of a kind, in a trace or in several of a run. */
export async function showCollective(t: string, kind: string): Promise<void> {
  try {
    const isWanted = stillHere();
    const info = await openTrace(t, new AbortController().signal);
    const found = await api.get("find",
      { t, q: collectivePattern(kind), from: 0 });
    if (found.count === 0) throw new Error("no event has its name");
    const all = info.groups.filter((one) => one.kind === "process").length > 1;
    if (isWanted()) navigate({ ...toTrace(t, all), row: found.row, more: {},
      ...rangeAround(found.start, found.dur, info.span_ns) }, true);
  } catch (error) {
    toast(`It cannot be shown: ${errorText(error)}`);
  }
}

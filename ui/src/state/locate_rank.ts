// SPDX-License-Identifier: Apache-2.0
//
// "Show on timeline" of the tables of ranks: to the timeline of all ranks.
import type { SummaryDoc } from "../generated/answers.ts";
import { ALL_WORKERS } from "../model/pick.ts";
import {
  collectivePattern, placeOfStep, stepOfRow, type RankStep,
} from "../model/rank_place.ts";
import { valueAt } from "../model/declared.ts";
import { toast } from "../shell/Toast.tsx";
import { api } from "./api.ts";
import { errorText } from "./load.ts";
import { rangeAround } from "./locate.ts";
import { navigate, stillHere } from "./route.ts";

/** The timeline of all ranks: of the run, or of one of its jobs. */
const toAll = (t: string) => ({ view: "trace", window: "",
  worker: t.includes(".") ? t : ALL_WORKERS });

async function showStep(t: string, step: RankStep): Promise<void> {
  const isWanted = stillHere();
  const info = await api.get("trace", { t });
  const { from, to, tracks } = placeOfStep(step, info);
  if (isWanted()) navigate({ ...toAll(t), from, to, row: null,
    more: tracks.length > 0 ? { pin: tracks.join(",") } : {} }, true);
}

async function showCollective(t: string, kind: string): Promise<void> {
  const isWanted = stillHere();
  const [info, found] = await Promise.all([
    api.get("trace", { t }),
    api.get("find", { t, q: collectivePattern(kind), from: 0 })]);
  if (found.count === 0) throw new Error("no event has its name");
  if (isWanted()) navigate({ ...toAll(t), row: found.row, more: {},
    ...rangeAround(found.start, found.dur, info.span_ns) }, true);
}

/** A row of a table of the job `t`: its step, or the first such collective. */
export async function showRankRow(
  t: string, table: string, row: unknown, doc: SummaryDoc): Promise<void> {
  try {
    if (table === "collectives")
      return await showCollective(t, String(valueAt(row, "kind")));
    const steps = (doc["rank_steps"] ?? []) as RankStep[];
    const inner = table === "stragglers"
      ? (row as { steps?: { step: number; delay_ns: number }[] }).steps : [];
    const step = table === "rank_steps" ? row as RankStep
      : stepOfRow(steps, Number(valueAt(row, "rank")), inner ?? []);
    if (!step) throw new Error("no step of it was recorded");
    await showStep(t, step);
  } catch (error) {
    toast(`It cannot be shown: ${errorText(error)}`);
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// Where a row of a table of ranks is on the timeline of all of them: a range
// of time, and the tracks of that rank. Pure.
import type { TraceInfo } from "../generated/answers.ts";

export interface RankStep {
  rank: number;
  step: number;
  start_ns: number;
  step_ns: number;
  delays_ns: number;
}

interface RankPlace {
  from: number;
  to: number;
  /** The threads of the rank, to be pinned to the top. */
  tracks: number[];
}

function mostOf<T>(list: T[], key: keyof T): T | undefined {
  let most = list[0];
  for (const one of list) if (one[key] > most![key]) most = one;
  return most;
}

/** The step in which others waited longest for the rank; else the longest. */
export function longestDelay(steps: RankStep[]): RankStep | null {
  const worst = mostOf(steps, "delays_ns");
  return (worst && worst.delays_ns > 0 ? worst : mostOf(steps, "step_ns")) ??
    null;
}

/** Room beside a step, as a share of it. */
const ROOM = 0.03;

/** Where a step is in the trace of its rank, which has a clock of its own. */
export function rangeOfStep({ step }: RankStep,
  info: Pick<TraceInfo, "steps" | "span_ns">): { from: number; to: number } {
  const own = info.steps.find((one) => one.index === step);
  if (!own) return { from: 0, to: info.span_ns };
  const { start, end, dur: length } = own;
  const room = length * ROOM;
  return { from: Math.max(0, start - room),
    to: Math.min(info.span_ns, end + room) };
}

export function placeOfStep(step: RankStep, info: Pick<TraceInfo,
  "origin_ns" | "span_ns" | "groups" | "tracks">): RankPlace {
  // Doubles: at most some hundred ns off where clocks count from 1970, and
  // this is a range to look at.
  const { start_ns: began, step_ns: length } = step;
  const start = began - Number(info.origin_ns);
  const room = length * ROOM;
  const own = new Set(info.groups.filter((group) =>
    new RegExp(`^Rank ${step.rank}\\b`).test(group.name))
    .map((group) => group.id));
  return {
    from: Math.max(0, start - room),
    to: Math.min(info.span_ns, start + length + room),
    tracks: info.tracks.filter((track) => track.kind === "thread" &&
      own.has(track.group)).map((track) => track.id),
  };
}

/** A kind of collective as the names of its events have it, in any case. */
export const collectivePattern = (kind: string) =>
  "/" + kind.split("_").map((word) => [...word].map((letter) =>
    /[a-z]/i.test(letter)
      ? `[${letter.toUpperCase()}${letter.toLowerCase()}]` : letter)
    .join("")).join("_?") + "/";

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

/** The step of a rank that a row is about: the worst named, or the longest. */
export function stepOfRow(steps: RankStep[], rank: number,
  inner: { step: number; delay_ns: number }[]): RankStep | null {
  const own = steps.filter((one) => one.rank === rank);
  const worst = mostOf(inner, "delay_ns");
  const named = worst && own.find((one) => one.step === worst.step);
  return named ?? mostOf(own, "step_ns") ?? null;
}

export function placeOfStep(step: RankStep, info: Pick<TraceInfo,
  "origin_ns" | "span_ns" | "groups" | "tracks">): RankPlace {
  // Doubles: at most some hundred ns off where clocks count from 1970, and
  // this is a range to look at.
  const { start_ns: began, step_ns: length } = step;
  const start = began - Number(info.origin_ns);
  const room = length * 0.03;
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

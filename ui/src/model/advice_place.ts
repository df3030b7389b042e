// SPDX-License-Identifier: Apache-2.0
//
// Where a finding is on the timeline: at an event, or at a time. Pure.
import type { Advice, TraceInfo } from "../generated/answers.ts";

export type AdvicePlace =
  | { at: "event"; name: string; start_ns: number }
  /** From the origin of the trace. */
  | { at: "time"; from: number; to: number };

/** An event where there is one; null: it is about no place. */
export function placeOfAdvice(advice: Pick<Advice, "evidence">,
  info: Pick<TraceInfo, "origin_ns">): AdvicePlace | null {
  const example = advice.evidence.find((one) => one.example)?.example;
  if (example)
    return { at: "event", name: example.name, start_ns: example.start_ns };
  const range = advice.evidence.find((one) => one.range)?.range;
  if (!range) return null;
  // Doubles: at most some hundred ns off where clocks count from 1970, and
  // this is a range to look at.
  const { start_ns: began, dur_ns: length } = range;
  const from = began - Number(info.origin_ns);
  return { at: "time", from, to: from + length };
}

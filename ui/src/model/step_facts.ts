// SPDX-License-Identifier: Apache-2.0
//
// What stands above the table of steps: title and text of each figure. Pure.
import type { StepTimes } from "../generated/answers.ts";
import { formatCount, formatTime } from "./format.ts";

/** Which duration of a step its parts add up to. */
export const stepMeaning = (times: Pick<StepTimes, "paced_by"> | null) =>
  times?.paced_by === "device" ? "start to start on the device"
    : "on the host";

export function stepFacts(times: StepTimes | null)
  : { title: string; text: string }[] {
  const period = times?.period;
  if (!times || !period) return [];
  const facts: [title: string, text: string][] = [
    ["shortest", formatTime(period.min_ns)],
    ["p25", formatTime(period.p25_ns)],
    ["median", formatTime(period.p50_ns)],
    ["p75", formatTime(period.p75_ns)],
    ["longest", formatTime(period.max_ns)],
    ["mean", formatTime(period.avg_ns)],
    ["steps", formatCount(times.steps)],
    ["warm-up, left out", formatCount(times.warmup)],
    ["paced by", times.paced_by],
  ];
  return facts.map(([title, text]) => ({ title, text }));
}

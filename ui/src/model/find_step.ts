// SPDX-License-Identifier: Apache-2.0
//
// A step of a table on the timeline: by number and, where several processes
// step, by process; of several that have the same number, by its start. Pure.
import type {
  GroupInfo, StepInfo, StepRow, SummaryDoc,
} from "../generated/answers.ts";

interface Steps {
  steps: StepInfo[];
  groups: GroupInfo[];
}

/** `start`: from the origin, as tables have it. */
export function findStep(info: Steps, index: number, pid?: number,
  start?: number): StepInfo | undefined {
  const same = info.steps.filter((step) => step.index === index);
  const ofProcess = same.filter((step) =>
    info.groups.find((group) => group.id === step.group)?.pid === pid);
  const all = ofProcess.length > 0 ? ofProcess : same;
  return start === undefined ? all[0]
    : all.find((step) => step.start === start);
}

/**
 * What of a step is shown: that which its duration is of. Where the device
 * paces the loop, that begins with its work there.
 */
export function shownRange(doc: Pick<SummaryDoc, "steps" | "step_time">,
  step: Pick<StepInfo, "index" | "start" | "end">, originNs: number)
  : { start: number; end: number } {
  if (doc.step_time?.paced_by !== "device") return step;
  const away = ({ start_ns: at }: StepRow) =>
    Math.abs(at - originNs - step.start);
  const row = doc.steps.filter((one) => one.index === step.index)
    .reduce<StepRow | undefined>((best, one) =>
      best && away(best) <= away(one) ? best : one, undefined);
  if (!row || row.device_start_ns === null) return step;
  const { start_ns: host, device_start_ns: device, period_ns: length } = row;
  // From the step's own start: exact where the clock is beyond a number.
  const start = step.start + (device - host);
  return { start, end: start + length };
}

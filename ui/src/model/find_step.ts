// SPDX-License-Identifier: Apache-2.0
//
// A step of a table on the timeline: by number and, where several processes
// step, by process; of several that have the same number, by its start. Pure.
import type { GroupInfo, StepInfo } from "../generated/answers.ts";

interface Steps {
  steps: StepInfo[];
  groups: GroupInfo[];
  origin_ns?: string;
}

/** `startNs`: on the clock of the trace, as tables have it. */
export function findStep(info: Steps, index: number, pid?: number,
  startNs?: number): StepInfo | undefined {
  const same = info.steps.filter((step) => step.index === index);
  const ofProcess = same.filter((step) =>
    info.groups.find((group) => group.id === step.group)?.pid === pid);
  const all = ofProcess.length > 0 ? ofProcess : same;
  if (startNs === undefined) return all[0];
  // Both are rounded alike where a number cannot hold them: the nearest.
  const start = startNs - Number(info.origin_ns ?? 0);
  const away = (step: StepInfo) => Math.abs(step.start - start);
  return all.reduce<StepInfo | undefined>((best, step) =>
    best && away(best) <= away(step) ? best : step, undefined);
}

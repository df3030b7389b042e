// SPDX-License-Identifier: Apache-2.0
//
// A step of a table on the timeline: by number and, where several processes
// step, by process. Pure.
import type { GroupInfo, StepInfo } from "../api/types.ts";

export function findStep(
  info: { steps: StepInfo[]; groups: GroupInfo[] }, index: number,
  pid?: number): StepInfo | undefined {
  const same = info.steps.filter((step) => step.index === index);
  const ofProcess = same.find((step) =>
    info.groups.find((group) => group.id === step.group)?.pid === pid);
  return ofProcess ?? same[0];
}

// SPDX-License-Identifier: Apache-2.0
//
// From a step to its place on the timeline.
import { showRange } from "../../state/locate.ts";
import { trace } from "../../state/trace.ts";
import { toast } from "../../shell/Toast.tsx";

export function showStep(index: number, pid?: number): void {
  const steps = trace.value?.info.steps ?? [];
  const step = steps.find((one) => one.index === index &&
    (pid === undefined || one.pid === undefined || one.pid === pid));
  if (step) showRange(step.start, step.end);
  else toast("This step is not on the timeline.");
}

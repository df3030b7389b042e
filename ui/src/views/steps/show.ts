// SPDX-License-Identifier: Apache-2.0
//
// From a step to its place on the timeline.
import type { SummaryDoc } from "../../generated/answers.ts";
import { findStep, shownRange } from "../../model/find_step.ts";
import { showRange } from "../../state/locate.ts";
import { trace } from "../../state/trace.ts";
import { toast } from "../../shell/Toast.tsx";

/** A column of a chart; the recorded window is all that there is. */
export const showColumn = (doc: SummaryDoc) => (
  { index, pid }: { index: number | null; pid: number }): void => {
  const span = trace.value?.info.span_ns ?? 0;
  if (index === null) showRange(0, span);
  else showStep(doc, index, pid);
};

export function showStep(doc: Pick<SummaryDoc, "steps" | "step_time">,
  index: number, pid?: number, start?: number): void {
  const info = trace.value?.info;
  const step = info && findStep(info, index, pid, start);
  if (!step) return toast("This step is not on the timeline.");
  const range = shownRange(doc, step, Number(info.origin_ns ?? 0));
  showRange(range.start, range.end);
}

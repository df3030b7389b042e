// SPDX-License-Identifier: Apache-2.0
//
// Whose kernels stand out on the timeline, and the way back to it.
import { countOf } from "../../model/format.ts";
import { kindTitle, requestName } from "../../model/serving.ts";
import { useAnswer } from "../../state/load.ts";
import { choose, chosen, showServing } from "../../state/serving.ts";
import { isPreview, trace } from "../../state/trace.ts";

export function ChosenNote() {
  const t = isPreview.value ? undefined : trace.value?.t;
  const { request, iteration } = chosen.value;
  const ofRequest = useAnswer("request",
    t && request !== null ? { t, index: request } : null);
  const ofIteration = useAnswer("iteration",
    t && iteration !== null ? { t, index: iteration } : null);
  if (!t || request === null && iteration === null) return null;
  const name = ofRequest.state === "ready" && request !== null
    ? `${requestName(ofRequest.value.id, request)} ` +
      `(${countOf(ofRequest.value.iteration_count, "iteration")})`
    : ofIteration.state === "ready" && iteration !== null
      ? `iteration ${iteration} (${kindTitle(ofIteration.value.kind)
        .toLowerCase()})` : "what was chosen";
  return (
    <div class="preview-note" role="status">
      What the device did for {name} stands out.
      <button class="link" onClick={() => showServing(chosen.value)}>
        {request !== null ? "Back to the request" : "Back to the iteration"}
      </button>
      <button class="link" onClick={() => choose({})}>Show all alike</button>
    </div>
  );
}

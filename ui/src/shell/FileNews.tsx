// SPDX-License-Identifier: Apache-2.0
//
// A line above the view while the file of the shown trace changes. Nothing
// that is read is swapped: a recording is followed here, and what is below is
// as it was when it was opened.
import { useSignal } from "@preact/signals";
import type { LiveState } from "../generated/answers.ts";
import {
  countOf, formatBytes, formatTime, formatValue,
} from "../model/format.ts";
import { barsOf, lastWhole, pathOf } from "../model/live.ts";
import { shortName } from "../model/names.ts";
import { percent } from "../model/shares.ts";
import { isOffered, isRecording, live, update } from "../state/live.ts";
import { opening } from "../state/trace.ts";

function Steps({ state }: { state: LiveState }) {
  if (state.steps.length === 0)
    return <p class="quiet">No steps are marked so far.</p>;
  return (
    <figure>
      <ol class="live-steps" aria-label="Last steps">
        {barsOf(state.steps).map(({ step, height }) => (
          <li key={step.start} class={step.open ? "open" : ""}
            title={`Step ${step.index}: ${formatTime(step.dur)}` +
              (step.open ? " so far" : "")}>
            <span style={{ height: percent(height) }} />
          </li>
        ))}
      </ol>
      <figcaption>Steps {state.steps[0]!.index} to{" "}
        {state.steps.at(-1)!.index}</figcaption>
    </figure>
  );
}

function Counters({ state }: { state: LiveState }) {
  return (
    <table class="live-counters">
      <thead><tr>{["Counter", "Last values", "Now", "Lowest", "Highest"]
        .map((title) => <th key={title} scope="col">{title}</th>)}</tr></thead>
      <tbody>{state.counters.map((one) => (
        <tr key={one.name}>
          <th scope="row" class="mono">{one.name}</th>
          <td><svg viewBox="0 0 100 20" preserveAspectRatio="none"
            aria-hidden="true"><path d={pathOf(one)} /></svg></td>
          {[one.last, one.min, one.max].map((value, n) =>
            <td key={n}>{value === null ? "–" : formatValue(value)}</td>)}
        </tr>
      ))}</tbody>
    </table>
  );
}

function Open({ state }: { state: LiveState }) {
  return (
    <ul class="live-open" aria-label="Where threads are">
      {state.open.map((one) => (
        <li key={one.thread}><span class="quiet">
          {one.thread_name || `thread ${one.thread}`}</span>
        {" "}<span class="mono" title={one.name}>{shortName(one.name)}</span>
        {" "}{formatTime(one.dur)} so far</li>
      ))}
    </ul>
  );
}

function Recorded({ state }: { state: LiveState }) {
  const step = lastWhole(state.steps);
  const parts = [formatTime(state.span_ns), countOf(state.events, "event"),
    state.step_count === 0 ? "" : countOf(state.step_count, "step") +
      (step ? `, the last took ${formatTime(step.dur)}` : ""),
    state.lost > 0 ? `${countOf(state.lost, "event")} lost` : ""];
  return <span>{parts.filter(Boolean).join(" · ")}</span>;
}

function Update() {
  return (
    <button class="button" disabled={opening.value.state === "loading"}
      onClick={() => void update()}>Update the page</button>
  );
}

function Recording() {
  const shown = useSignal(false);
  const info = live.value;
  const state = info?.state ?? null;
  return (
    <section class="live" aria-label="Recording">
      <div class="live-line">
        <b class="live-word">Recording</b>
        {state ? <Recorded state={state} />
          : info && <span>{formatBytes(info.bytes)} written</span>}
        <span class="space" />
        {state && <button class="link" aria-expanded={shown.value}
          onClick={() => {
            shown.value = !shown.value;
          }}>{shown.value ? "Hide" : "Show"} steps and counters</button>}
        <Update />
      </div>
      {shown.value && state && (
        <div class="live-more">
          <Steps state={state} />
          {state.counters.length > 0 && <Counters state={state} />}
          {state.open.length > 0 && <Open state={state} />}
        </div>
      )}
    </section>
  );
}

export function FileNews() {
  if (isRecording.value) return <Recording />;
  if (!isOffered.value) return null;
  return (
    <section class="live" aria-label="Changed file" role="status">
      <div class="live-line">
        <span>This file was written anew since it was opened.</span>
        <span class="space" />
        <Update />
      </div>
    </section>
  );
}

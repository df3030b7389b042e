// SPDX-License-Identifier: Apache-2.0
//
// The dialogs: keys and mouse, and the health of the trace.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatCount } from "../model/format.ts";
import { healthOf } from "../model/health.ts";
import { trace } from "../state/trace.ts";
import { Icon } from "./icons.tsx";

type Which = "" | "keys" | "health";
const shown = signal<Which>("");
export const helpShown = () => shown.value !== "";
export function showHelp(which: Which): void {
  shown.value = which;
}

const KEYS: [string[], string][] = [
  [["w", "s"], "Zoom in, zoom out"],
  [["a", "d"], "Move left, move right"],
  [["Shift", "w a s d"], "The same, faster"],
  [["wheel"], "Scroll tracks; with Ctrl: zoom; with Shift: move"],
  [["1"], "Select: click an event, drag a box"],
  [["2"], "Pan: drag the timeline"],
  [["3"], "Zoom: drag a range"],
  [["4"], "Measure: drag between two times"],
  [["f"], "Zoom to the selection or measured time, or to the whole trace"],
  [["m"], "Mark the selection, or the measured time"],
  [["r"], "Row height: normal, compact, dense"],
  [["/"], "Search"],
  [["Enter"], "Next match; with Shift: previous"],
  [["←", "→"], "Previous, next event on the row"],
  [["↑", "↓"], "Caller, first call inside"],
  [["]", "["], "Follow the arrow to its end, to its begin"],
  [[".", ","], "Next, previous piece of the critical path"],
  [["n"], "Put a note where the pointer is"],
  [["double click"], "Select all events of the same name"],
  [["Esc"], "Clear the selection"],
  [["?"], "This list"],
];

function Keys() {
  return (
    <>
      <h1>Keys and mouse</h1>
      <dl class="keys">
        {KEYS.map(([keys, text]) => (
          <>
            <dt>{keys.map((key) => <><kbd>{key}</kbd> </>)}</dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </>
  );
}

function HealthDetails() {
  const info = trace.value?.info;
  if (!info) return null;
  const health = healthOf(info);
  return (
    <>
      <h1>{health.title}</h1>
      <p class="quiet">{health.detail}.</p>
      <ul>{health.reasons.map(({ what, count }) =>
        <li key={what}>{formatCount(count)} {what}</li>)}</ul>
      {(info.notes ?? []).map((note) => <p key={note}>{note}</p>)}
    </>
  );
}

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const which = shown.value;
  useEffect(() => {
    if (which && !dialog.current!.open) dialog.current!.showModal();
    if (!which && dialog.current!.open) dialog.current!.close();
  }, [which]);
  return (
    <dialog ref={dialog} aria-label="Help" onClose={() => showHelp("")}
      onClick={(event) => {
        if (event.target === dialog.current) showHelp("");
      }}>
      <form method="dialog">
        <button class="dialog-close" aria-label="Close" title="Close (Esc)">
          <Icon name="close" />
        </button>
      </form>
      {which === "keys" && <Keys />}
      {which === "health" && <HealthDetails />}
    </dialog>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// What colours mean: the classes and causes that this trace has.
import { colourKey, idleKey } from "../../model/palette.ts";
import { Icon } from "../../shell/icons.tsx";
import { trace } from "../../state/trace.ts";

const TITLES: Record<string, string> = {
  kernel: "Kernel", operator: "Operator", runtime: "Runtime call",
  user: "User range", copy: "Copy, set", communication: "Communication",
  python: "Python function", stage: "Stage",
  "cpu-only": "Idle: CPU only", "launch-gap": "Idle: launch gap",
  input: "Idle: input", sync: "Idle: host sync",
};

/** Where there is no room for all, the last ones are in the menu alone. */
const ORDER = ["kernel", "operator", "runtime", "cpu-only", "launch-gap",
  "copy", "user", "communication", "python", "stage", "input", "sync"];
const DEVICE = new Set(["kernel", "copy", "communication"]);

/** Keys of colours that the trace can show, most wanted first. */
export function legendKeys(classes: string[], causes: string[],
  hasStream: boolean): string[] {
  const known = new Set(classes.map(colourKey));
  const idle = new Set(hasStream ? causes.map(idleKey) : []);
  return ORDER.filter((key) => idle.has(key) ||
    known.has(key) && (hasStream || !DEVICE.has(key)));
}

export function Legend() {
  const info = trace.value?.info;
  if (!info) return null;
  const keys = legendKeys(info.classes, info.idle_causes ?? [],
    info.tracks.some((track) => track.kind === "stream"));
  const list = keys.map((key) => (
    <li key={key}>
      <i class="swatch" style={{ color: `var(--c-${key})` }} />
      {TITLES[key]}
    </li>
  ));
  // Where there is no room for all of it in the toolbar, there is a menu.
  return (
    <>
      <ul class="legend" aria-label="Colours">{list}</ul>
      <details class="legend-menu dropdown" onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.open = false;
      }}>
        <summary class="toggle">Colours<Icon name="down" /></summary>
        <ul class="legend-list" aria-label="Colours">{list}</ul>
      </details>
    </>
  );
}

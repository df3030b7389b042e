// SPDX-License-Identifier: Apache-2.0
//
// What colours mean: the classes and causes that this trace has.
import { colourKey, idleKey } from "../../model/palette.ts";
import { trace } from "../../state/trace.ts";

const TITLES: Record<string, string> = {
  kernel: "Kernel", operator: "Operator", runtime: "Runtime call",
  user: "User range", copy: "Copy, set", communication: "Communication",
  python: "Python function", stage: "Stage",
  "cpu-only": "Idle: CPU only", "launch-gap": "Idle: launch gap",
  input: "Idle: input", sync: "Idle: host sync",
};

/** Keys of colours that the trace can show, most wanted first. */
export function legendKeys(classes: string[], causes: string[],
  hasStream: boolean): string[] {
  const own = ["operator", "runtime", "user", "python", "stage"];
  const device = ["kernel", "copy", "communication"];
  const known = new Set(classes.map(colourKey));
  const keys = [...own, ...(hasStream ? device : [])]
    .filter((key) => known.has(key));
  if (hasStream)
    for (const key of causes.map(idleKey))
      if (TITLES[key] && !keys.includes(key)) keys.push(key);
  return keys;
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
  // Where there is no room for it in the toolbar, it is a menu.
  return (
    <>
      <ul class="legend" aria-label="Colours">{list}</ul>
      <details class="legend-menu dropdown" onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.open = false;
      }}>
        <summary class="toggle">Colours</summary>
        <ul class="legend-list" aria-label="Colours">{list}</ul>
      </details>
    </>
  );
}

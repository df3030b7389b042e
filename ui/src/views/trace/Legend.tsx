// SPDX-License-Identifier: Apache-2.0
//
// What colours mean: the classes and causes that this trace has.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Swatch } from "../../charts/charts.tsx";
import { CLASSES, ITERATIONS, LEGEND, PARTS } from "../../generated/looks.ts";
import { lookOf } from "../../model/palette.ts";
import { useDismiss } from "../../shell/dismiss.ts";
import { Icon } from "../../shell/icons.tsx";
import { serves } from "../../state/serving.ts";
import { trace } from "../../state/trace.ts";

/** What the trace can show, most wanted first: where there is no room for all,
    the last ones are in the menu alone. */
function legendOf(classes: string[], causes: string[],
  hasStream: boolean): typeof LEGEND {
  const known = new Set(classes.map((name) => lookOf(CLASSES, name).hue));
  const idle = new Set(hasStream ? causes.map((name) =>
    lookOf(PARTS, name).hue) : []);
  return LEGEND.filter(({ hue, device }) => hue !== "unexplained" &&
    (idle.has(hue) || known.has(hue) && (hasStream || !device)));
}

export function Legend() {
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useDismiss(box, open.value, () => {
    open.value = false;
  });
  const info = trace.value?.info;
  if (!info) return null;
  const shown = legendOf(info.classes, info.idle_causes ?? [],
    info.tracks.some((track) => track.kind === "stream"));
  const list = [
    ...shown.map(({ hue, title }) => (
      <li key={hue}><Swatch hue={hue} />{title}</li>
    )),
    ...(serves.value?.kinds ?? []).map((kind) => {
      const { hue, title } = lookOf(ITERATIONS, kind);
      return <li key={kind}><Swatch hue={hue} />Iteration: {title}</li>;
    }),
  ];
  // Where there is no room for all of it in the toolbar, there is a menu.
  return (
    <>
      <ul class="legend" aria-label="Colours">{list}</ul>
      <div class="legend-menu dropdown" ref={box}>
        <button class="toggle" aria-expanded={open.value} onClick={() => {
          open.value = !open.value;
        }}>Colours<Icon name="down" /></button>
        {open.value &&
          <ul class="legend-list" aria-label="Colours">{list}</ul>}
      </div>
    </>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// All calls of the selected event's name: histogram and percentiles.
import type { EventInfo } from "../../generated/answers.ts";
import { CLASSES } from "../../generated/looks.ts";
import { insideText } from "../../model/box_columns.ts";
import { Histogram } from "../../charts/Histogram.tsx";
import { countOf, formatTime } from "../../model/format.ts";
import { binOf } from "../../model/histogram.ts";
import { lookOf } from "../../model/palette.ts";
import type { Controller } from "./controller.ts";
import * as s from "./store.ts";

export function SameNameColumn({ event, controller }: {
  event: EventInfo;
  controller: Controller | null;
}) {
  const same = event.same_name;
  const on = s.highlighted.value !== null;
  const figures: [string, number][] = [["Mean", same.mean],
    ["p50", same.p50], ["p90", same.p90], ["p99", same.p99],
    ["Max", same.max], ["Total", same.total]];
  return (
    <section aria-label="All calls of this name">
      <header>
        <h3>{countOf(same.calls, "call")} in this window</h3>
        <button class="link" aria-pressed={on}
          onClick={() => controller?.highlight(!on)}>
          {on ? "Select one" : "Select all"}
        </button>
      </header>
      {same.nested > 0 && <p class="quiet">{insideText(same.nested)}</p>}
      <Histogram bins={same.histogram} one="call"
        label={`Histogram of ${countOf(same.calls, "call")}`}
        hue={lookOf(CLASSES, event.class).hue}
        own={binOf(same.histogram.edges, event.dur)} />
      <dl class="call-figures">
        {figures.map(([label, value]) => (
          <div key={label}><dt>{label}</dt><dd>{formatTime(value)}</dd></div>
        ))}
      </dl>
    </section>
  );
}

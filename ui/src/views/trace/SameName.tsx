// SPDX-License-Identifier: Apache-2.0
//
// All calls of the selected event's name: histogram and percentiles.
import type { EventInfo } from "../../generated/answers.ts";
import { CLASSES } from "../../generated/looks.ts";
import { insideText } from "../../model/box_columns.ts";
import { countOf, formatCount, formatTime } from "../../model/format.ts";
import { binOf } from "../../model/histogram.ts";
import { cssVar, lookOf } from "../../model/palette.ts";
import { partOf } from "../../model/shares.ts";
import type { Controller } from "./controller.ts";
import * as s from "./store.ts";

function Histogram({ event }: { event: EventInfo }) {
  const { edges, counts } = event.same_name.histogram;
  const most = Math.max(1, ...counts);
  const own = binOf(edges, event.dur);
  const colour = cssVar(lookOf(CLASSES, event.class).hue);
  return (
    <div class="histogram" role="img"
      aria-label={`Histogram of ${countOf(event.same_name.calls, "call")}`}>
      {counts.map((count, n) => (
        <div key={n} title={`${countOf(count, "call")} of ` +
          `${formatTime(edges[n]!)} to ${formatTime(edges[n + 1]!)}`}>
          <span>{counts.length <= 14 && count > 0 ? formatCount(count) : ""}
          </span>
          <i class={n === own ? "own" : ""} style={{
            height: `${count ? Math.max(2, partOf(count, most) * 62) : 0}px`,
            background: colour }} />
          <small>{n % Math.ceil(counts.length / 6) === 0
            ? formatTime(edges[n]!) : ""}</small>
        </div>
      ))}
    </div>
  );
}

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
      <Histogram event={event} />
      <dl class="figures">
        {figures.map(([label, value]) => (
          <div key={label}><dt>{label}</dt><dd>{formatTime(value)}</dd></div>
        ))}
      </dl>
    </section>
  );
}

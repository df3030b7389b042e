// SPDX-License-Identifier: Apache-2.0
//
// How long requests waited and iterations took, as histograms.
import type { LatencyInfo, ServingInfo } from "../../generated/answers.ts";
import { Histogram } from "../../charts/Histogram.tsx";
import { ITERATIONS, PHASES, type Hue } from "../../generated/looks.ts";
import { countOf, formatTime } from "../../model/format.ts";
import { lookOf } from "../../model/palette.ts";
import { kindTitle, shownLatencies } from "../../model/serving.ts";
import { route, setMore } from "../../state/route.ts";
import { Card } from "../parts.tsx";

const PHASE_OF: Record<string, string> = { ttft: "prefill", tpot: "decode" };
/** The colour of the phase that it ends. */
function hueOf({ key, kind }: LatencyInfo): Hue {
  if (kind !== null) return lookOf(ITERATIONS, kind).hue;
  return lookOf(PHASES, PHASE_OF[key] ?? key).hue;
}

function One({ latency, kinds }: { latency: LatencyInfo; kinds?: string[] }) {
  const { key, title, meaning, kind, count, p50, p90, p99 } = latency;
  const one = kind === null ? "request" : "iteration";
  const figures: [string, number][] = [["p50", p50], ["p90", p90],
    ["p99", p99]];
  return (
    <section class="latency" data-latency={key} aria-label={title}>
      <header>
        <h3 title={meaning}>{title}</h3>
        {kinds && kinds.length > 1
          ? <select aria-label="Kind of iteration" value={kind!}
            onChange={(event) => setMore("period", event.currentTarget.value)}>
            {kinds.map((name) => (
              <option key={name} value={name}>{kindTitle(name)}</option>
            ))}</select>
          : kind !== null && <span class="quiet">{kindTitle(kind)}</span>}
        <span class="quiet">{countOf(count, one)}</span>
      </header>
      <Histogram bins={latency.histogram} one={one} hue={hueOf(latency)}
        label={`${title}: histogram of ${countOf(count, one)}`} high={84} />
      <dl class="strip">
        {figures.map(([name, value]) => (
          <div key={name}><dt>{name}</dt>
            <dd data-figure={name}>{formatTime(value)}</dd></div>
        ))}
      </dl>
    </section>
  );
}

export function LatencyCard({ info }: { info: ServingInfo }) {
  const { requests, kinds, period } =
    shownLatencies(info.latencies, route.value.more["period"]);
  if (requests.length === 0 && !period) return null;
  return (
    <Card title="Latency" detail="how many took how long; bars stand on a
      logarithmic axis">
      <div class="latencies">
        {requests.map((one) => <One key={one.key} latency={one} />)}
        {period && <One latency={period} kinds={kinds} />}
      </div>
    </Card>
  );
}

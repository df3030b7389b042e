// SPDX-License-Identifier: Apache-2.0
import type { SummaryDoc } from "../../generated/answers.ts";
import { Ring } from "../../charts/charts.tsx";
import type { Figure } from "../../model/overview.ts";
import { sparkBars } from "../../model/spark.ts";
import { mostOf, partOf, percent } from "../../model/shares.ts";
import { Prose } from "../../shell/Prose.tsx";

function StepSpark({ doc }: { doc: SummaryDoc }) {
  const odd = new Set(doc.outliers.map((one) => one.index));
  const bars = sparkBars(doc.steps, (step) => step.period_ns,
    (step) => odd.has(step.index));
  const most = mostOf(bars.map((bar) => bar.item.period_ns));
  return (
    <span class="spark" aria-hidden="true">
      {bars.map((bar, i) => (
        <i key={i} class={bar.odd ? "odd" : bar.item.warmup ? "warmup" : ""}
          style={{ height: percent(partOf(bar.item.period_ns, most)) }} />
      ))}
    </span>
  );
}

export function Figures(
  { figures, doc }: { figures: Figure[]; doc: SummaryDoc }) {
  return (
    <div class="figures">
      {figures.map((figure) => (
        <section key={figure.key} class="card figure" aria-label={figure.title}>
          <div>
            <h2>{figure.title}</h2>
            <p class="value" data-figure={figure.key}>{figure.value}
              {figure.unit && <small> {figure.unit}</small>}</p>
          </div>
          {figure.share !== null && <Ring share={figure.share}
            label={`${figure.title}: ${figure.value} ${figure.unit}`} />}
          {figure.key === "step" && doc.steps.length > 1 &&
            <StepSpark doc={doc} />}
          <p class="quiet"><Prose text={figure.detail} /></p>
        </section>
      ))}
    </div>
  );
}

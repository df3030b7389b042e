// SPDX-License-Identifier: Apache-2.0
//
// Where a step goes: parts that add up to it, and each step as a column.
import type { SummaryDoc, Waterfall } from "../../api/documents.ts";
import { Columns, Swatch } from "../../charts/charts.tsx";
import { formatShare, formatTime } from "../../model/format.ts";
import {
  barsOf, partColour, partTitle, perStep, stackOf, type Bar,
} from "../../model/waterfall.ts";
import { showStep } from "../steps/show.ts";
import { Card, Sized } from "../parts.tsx";

function Parts({ bars, waterfall }: { bars: Bar[]; waterfall: Waterfall }) {
  const steps = waterfall.per_step.length;
  return (
    <table class="parts">
      <thead class="hidden"><tr>
        <th>Part</th><th>Place</th><th>Time a step</th><th>Share</th>
      </tr></thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.name} title={bar.formula} data-part={bar.name}>
            <th scope="row"><Swatch colour={bar.colour} />{bar.title}</th>
            <td class="lane"><span style={{
              left: `${bar.x * 100}%`, width: `${bar.w * 100}%`,
              background: `var(--c-${bar.colour})` }} /></td>
            <td class="num">{formatTime(bar.perStep)}</td>
            <td class="num quiet">{formatShare(bar.ratio)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot><tr>
        <th scope="row">Step, mean of {steps}</th><td />
        <td class="num">{formatTime(perStep(waterfall.step_ns, steps))}</td>
        <td class="num quiet">100 %</td>
      </tr></tfoot>
    </table>
  );
}

export function stepMarks(doc: SummaryDoc) {
  return {
    warmup: new Set(doc.steps.filter((one) => one.warmup)
      .map((one) => one.index)),
    outliers: new Set(doc.outliers.map((one) => one.index)),
  };
}

export function StepCard({ doc }: { doc: SummaryDoc }) {
  const waterfall = doc.waterfall;
  if (!waterfall || waterfall.per_step.length === 0)
    return (
      <Card title="Where a step goes">
        <p class="nothing">No steps in this trace. Call step() after each
          batch, or mark it by a range named ProfileStep.</p>
      </Card>
    );
  const names = waterfall.parts.map((part) => part.name);
  const { columns, most } = stackOf(
    waterfall.per_step.map((step) => ({ ...step, values: step.parts_ns })),
    names, partColour, stepMarks(doc));
  for (const column of columns)
    for (const part of column.parts) part.name = partTitle(part.name);
  return (
    <Card title="Where a step goes"
      detail="adds up to the step, to the nanosecond">
      <div class="step-card">
        <Parts bars={barsOf(waterfall)} waterfall={waterfall} />
        <Sized height={258}>
          {(width) => <Columns columns={columns} most={most} width={width}
            height={258} label="Each step" onPick={(column) =>
              showStep(column.index, column.pid)} />}
        </Sized>
      </div>
    </Card>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of operators whose shapes were recorded, and how fast it was.
import type { StepFlops, SummaryDoc } from "../../generated/answers.ts";
import {
  formatCount, formatShare, formatTime, formatValue,
} from "../../model/format.ts";
import { shortName } from "../../model/names.ts";
import { navigate, route } from "../../state/route.ts";
import { Name } from "../../shell/Name.tsx";
import { Card } from "../parts.tsx";

const SHOWN = 6;

/** FLOP/s of a step, beside what a device can do. */
export function StepFlopsStrip({ step }: { step: StepFlops }) {
  const of = step.steps > 0 ? "of a step" : "of the recording";
  return (
    <dl class="strip">
      <div title={"Outermost operators with known shapes, over the time " +
        "of the settled steps; recomputation counts, too"}>
        <dt>{step.devices > 1 ? `${of}, per device` : of}</dt>
        <dd data-figure="step tflops">
          {formatValue(step.tflops_per_s, "TFLOP/s")}</dd></div>
      <div title={step.peak_tflops_per_s === null
        ? "The trace does not state the peak of its device. Type it under " +
          "Operators, Arithmetic, or start with --compute-peak"
        : `Of ${formatValue(step.peak_tflops_per_s, "TFLOP/s")}`}>
        <dt>MFU</dt><dd data-figure="mfu">
          {step.mfu === null ? "–" : formatShare(step.mfu)}</dd></div>
      {step.counted_ratio !== null && <div title={"Device work inside these " +
        "operators. The rest does arithmetic that is not counted"}>
        <dt>device work counted</dt>
        <dd data-figure="counted">{formatShare(step.counted_ratio)}</dd>
      </div>}
    </dl>
  );
}

export function FlopsCard({ doc }: { doc: SummaryDoc }) {
  const rows = doc.flops;
  if (rows.length === 0) return null;
  return (
    <Card title="Arithmetic" detail="of operators with recorded shapes"
      actions={<button class="link" onClick={() => navigate(
        { ...route.value, view: "operators", more: { by: "flops" } },
        true)}>All {formatCount(rows.length)} →</button>}>
      {doc.mfu && <StepFlopsStrip step={doc.mfu} />}
      <table class="plain">
        <thead><tr><th scope="col">Operator</th>
          <th scope="col" class="num">TFLOP/s</th>
          <th scope="col" class="num">Time</th></tr></thead>
        <tbody>{rows.slice(0, SHOWN).map((row) => (
          <tr key={row.name}>
            <th scope="row"><Name text={row.name}
              short={shortName(row.name)} /></th>
            <td class="num" data-figure="tflops" title={row.peak_ratio === null
              ? "" : `${formatShare(row.peak_ratio)} of the peak`}>
              {formatValue(row.tflops_per_s)}</td>
            <td class="num quiet" title={row.on_device
              ? "of device work" : "of the calls themselves"}>
              {formatTime(row.time_ns)}</td>
          </tr>
        ))}</tbody>
      </table>
    </Card>
  );
}

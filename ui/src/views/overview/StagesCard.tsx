// SPDX-License-Identifier: Apache-2.0
//
// CPU and GPU time of each stage: of all steps, or step by step.
import type {
  StageMean, StageStep, SummaryDoc,
} from "../../generated/answers.ts";
import { Columns, Swatch } from "../../charts/charts.tsx";
import { STAGES } from "../../generated/looks.ts";
import { formatTime } from "../../model/format.ts";
import { objectsOf } from "../../model/device_use.ts";
import { lookOf } from "../../model/palette.ts";
import { mostOf, partOf, percent } from "../../model/shares.ts";
import { Prose } from "../../shell/Prose.tsx";
import { stagesByStep } from "../../model/stages.ts";
import { stackOf } from "../../model/waterfall.ts";
import { useFlatTable } from "../../state/documents.ts";
import { route, setMore } from "../../state/route.ts";
import { Card, Loaded, Segments, Sized } from "../parts.tsx";
import { showColumn } from "../steps/show.ts";
import { stepMarks } from "./StepCard.tsx";

function Means({ device }: { device: boolean }) {
  const load = useFlatTable("stage_means");
  return (
    <Loaded what="The stages" load={load}>
      {(data) => <MeansTable device={device} rows={objectsOf<StageMean>(data)
        .filter((row) => row.stage !== "ProfileStep")} />}
    </Loaded>
  );
}

function MeansTable({ rows, device }: {
  rows: StageMean[]; device: boolean;
}) {
  const most = mostOf(rows.flatMap((row) => [row.cpu_ns, row.gpu_ns]));
  const width = (ns: number) => ({ width: percent(partOf(ns, most)) });
  return (
    <table class="plain">
      <thead><tr>
        <th scope="col">Stage</th><th><span class="hidden">Bars</span></th>
        <th scope="col" class="num">CPU per step</th>
        {device && <th scope="col" class="num">GPU per step</th>}
      </tr></thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.stage} data-stage={row.stage} title={row.inferred
            ? "concluded from other events, not recorded" : undefined}>
            <th scope="row">{lookOf(STAGES, row.stage).title}
              {row.inferred && <sup> *</sup>}</th>
            <td class="double" aria-hidden="true">
              <span class="cpu" style={width(row.cpu_ns)} />
              {device && <span class="gpu" style={width(row.gpu_ns)} />}
            </td>
            <td class="num">{formatTime(row.cpu_ns)}</td>
            {device && <td class="num">{formatTime(row.gpu_ns)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function BySteps({ doc, side }: { doc: SummaryDoc; side: "cpu" | "gpu" }) {
  const load = useFlatTable("stage_steps");
  return (
    <Loaded what="Stages of each step" load={load}>
      {(data) => {
        const { names, steps } =
          stagesByStep(objectsOf<StageStep>(data), side);
        const { columns, most } = stackOf(steps, names,
          (name) => lookOf(STAGES, name).hue, stepMarks(doc));
        return (
          <>
            <div class="card-chart"><Sized height={190}>
              {(width) => <Columns columns={columns} most={most}
                width={width} height={190} label={`Stages, ${side}`}
                onPick={showColumn(doc)} />}
            </Sized></div>
            <p class="chart-legend">{names.map((name) => (
              <span key={name}><Swatch hue={lookOf(STAGES, name).hue} />
                {lookOf(STAGES, name).title}</span>
            ))}</p>
          </>
        );
      }}
    </Loaded>
  );
}

export function StagesCard({ doc }: { doc: SummaryDoc }) {
  const device = doc.overview.gpu.length > 0;
  const wanted = route.value.more["stages"] ?? "";
  const mode = wanted === "gpu" && !device ? "" : wanted;
  const inferred = doc.model.some((row) =>
    row.inferred && row.name !== "ProfileStep");
  return (
    <Card title="Stages" actions={
      <Segments label="Stages" value={mode} options={[
        { value: "", text: "Mean step" }, { value: "cpu", text: "CPU by step" },
        ...device ? [{ value: "gpu", text: "GPU by step" }] : [],
      ]} onPick={(value) => setMore("stages", value)} />
    }>
      {doc.model.length < 2
        ? <p class="nothing"><Prose text={"No stages are known. Record " +
          "`Forward`, `Backward` and `Optimization` events, or operators " +
          "with their sequence numbers."} /></p>
        : mode === "cpu" || mode === "gpu"
          ? <BySteps doc={doc} side={mode} />
          : <Means device={device} />}
      {!mode && doc.model.length >= 2 && (
        <p class="chart-legend"><span><Swatch hue="operator" />CPU</span>
          {device &&
            <span><Swatch hue="kernel" />GPU, where it was launched</span>}
          {inferred && <span>* concluded from other events</span>}</p>
      )}
    </Card>
  );
}

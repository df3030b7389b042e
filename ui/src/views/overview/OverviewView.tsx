// SPDX-License-Identifier: Apache-2.0
//
// The first page: the answer in a sentence, five figures, where a step goes,
// what to fix, and the parts that explain it.
import type {
  AdviseDoc, SummaryDoc, TraceInfo,
} from "../../generated/answers.ts";
import { deviceUses } from "../../model/device_use.ts";
import { healthOf } from "../../model/health.ts";
import { figuresOf, ledgerText, mainDevice } from "../../model/overview.ts";
import { prose } from "../../model/prose.ts";
import { countOf, formatCount, formatTime } from "../../model/format.ts";
import { iterationFigure } from "../../model/iteration_kinds.ts";
import {
  useAdvice, useFlatTable, useSummary, useTables,
} from "../../state/documents.ts";
import { useAnswer } from "../../state/load.ts";
import { navigate, route } from "../../state/route.ts";
import { serves } from "../../state/serving.ts";
import { trace } from "../../state/trace.ts";
import { Message } from "../../shell/Messages.tsx";
import { Loaded, Page } from "../parts.tsx";
import { AdviceCard } from "./AdviceCard.tsx";
import { DeviceCard, RunCard } from "./DeviceCard.tsx";
import { EventsCard } from "./EventsCard.tsx";
import { ExportReport } from "./ExportReport.tsx";
import { Figures } from "./Figures.tsx";
import { FlopsCard } from "./FlopsCard.tsx";
import { IterationsCard } from "./IterationsCard.tsx";
import { LedgerCard, PerfCard } from "./PerfCard.tsx";
import { MemoryCard } from "./MemoryCard.tsx";
import { StagesCard } from "./StagesCard.tsx";
import { StepCard } from "./StepCard.tsx";
import { KernelsCard, OperatorsCard, UserCard } from "./TopCards.tsx";
import { Tile } from "./Tiles.tsx";
import { WhatIfCard } from "./WhatIfCard.tsx";

function detailOf(doc: SummaryDoc, iterations: number): string {
  const workers = doc.waterfall?.inputs.processes ?? 1;
  const steps = doc.step_time?.steps ?? doc.steps.length;
  const period = doc.step_time?.period;
  return [
    period ? `${countOf(steps, "step")}, median ${formatTime(period.p50_ns)}`
      : iterations > 0 ? countOf(iterations, "iteration")
        : "No steps were recorded",
    countOf(workers, "worker"),
    ledgerText(doc.ledger.seen, trace.value?.info.rejected ?? 0,
      trace.value?.info.repaired ?? 0, trace.value?.info.complete === false),
  ].join(" · ");
}

function Content({ doc, advise }: {
  doc: SummaryDoc;
  advise: AdviseDoc | null;
}) {
  const tables = useTables();
  const declared = tables.state === "ready" ? tables.value : undefined;
  const uses = useFlatTable("device_use");
  const devices = uses.state === "ready" ? deviceUses(uses.value) : [];
  const info = trace.value?.info;
  const count = serves.value?.count ?? 0;
  const asked = useAnswer("serving",
    count > 0 ? { t: trace.value!.t } : null);
  const serving = asked.state === "ready" ? asked.value : null;
  const figures = figuresOf(doc, advise, mainDevice(devices),
    info?.complete === false, info?.tracks);
  const steps = doc.steps.length > 0;
  const iteration = !steps && serving && iterationFigure(serving.kinds);
  // A server has no stages of training, and nothing to be told of them.
  const staged = steps || count === 0 || doc.model.length > 1;
  const said = advise?.headline ?? [];
  const title = said.map((one) => prose(one)).join(" ") || "Overview";
  return (
    <Page title={title} detail={detailOf(doc, count)} actions={<>
      <ExportReport />
      <button class="button primary" onClick={() => navigate(
        { ...route.value, view: "trace", more: {} }, true)}>
        Open in Trace
      </button>
    </>}>
      <Figures figures={iteration
        ? [iteration, ...figures.slice(1)] : figures} doc={doc} />
      <div class="overview">
        {serving && <Tile column="main"><IterationsCard info={serving} />
        </Tile>}
        {(steps || count === 0) &&
          <Tile column="main"><StepCard doc={doc} /></Tile>}
        <Tile column="side"><AdviceCard advise={advise}
          nothing={said.at(-1) ?? ""} /></Tile>
        <Tile column="main">
          <div class={staged ? "pair" : ""}>
            {staged && <StagesCard doc={doc} />}
            <EventsCard doc={doc} />
          </div>
        </Tile>
        <Tile column="side">
          <WhatIfCard advise={advise} t={trace.value?.t ?? ""}
            hasDevice={doc.overview.gpu.length > 0 || devices.length > 0} />
        </Tile>
        <Tile column="main">
          <div class="pair names">
            <KernelsCard doc={doc} />
            <OperatorsCard doc={doc} />
          </div>
        </Tile>
        <Tile><MemoryCard doc={doc} /></Tile>
        <Tile><DeviceCard doc={doc} devices={devices} /></Tile>
        <Tile><FlopsCard doc={doc} /></Tile>
        <Tile><PerfCard doc={doc} /></Tile>
        <Tile><RunCard doc={doc} /></Tile>
        <Tile><LedgerCard doc={doc}
          said={[...advise?.doubts ?? [], ...advise?.notes ?? []]} /></Tile>
        <Tile column="all"><UserCard doc={doc} tables={declared} /></Tile>
      </div>
    </Page>
  );
}

/** A file that is no trace after all, or of which nothing could be used. */
function NoEvents({ info }: { info: TraceInfo }) {
  const { detail, reasons } = healthOf(info);
  return (
    <Message title="This trace has no events" text={detail + ". Check " +
      "that the recording was stopped, and that the file was copied whole."}>
      <ul class="reasons">{reasons.map(({ what, count }) =>
        <li key={what}>{formatCount(count)} {what}</li>)}</ul>
    </Message>
  );
}

export default function OverviewView() {
  const summary = useSummary();
  const advice = useAdvice();
  const info = trace.value?.info;
  if (info?.events === 0 && info.rejected) return <NoEvents info={info} />;
  return (
    <Loaded whole what="The summary" load={summary}>
      {(doc) => <Content doc={doc}
        advise={advice.state === "ready" ? advice.value : null} />}
    </Loaded>
  );
}

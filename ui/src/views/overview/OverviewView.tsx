// SPDX-License-Identifier: Apache-2.0
//
// The first page: the answer in a sentence, five figures, where a step goes,
// what to fix, and the parts that explain it.
import type { AdviseDoc, SummaryDoc } from "../../api/documents.ts";
import { deviceUses } from "../../model/device_use.ts";
import {
  figuresOf, headline, ledgerText,
} from "../../model/overview.ts";
import { formatTime } from "../../model/format.ts";
import {
  useAdvice, useFlatTable, useSummary, useTables,
} from "../../state/documents.ts";
import { navigate, route } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Loaded, Page } from "../parts.tsx";
import { AdviceCard } from "./AdviceCard.tsx";
import { DeviceCard, RunCard } from "./DeviceCard.tsx";
import { EventsCard } from "./EventsCard.tsx";
import { ExportReport } from "./ExportReport.tsx";
import { Figures } from "./Figures.tsx";
import { LedgerCard, PerfCard } from "./PerfCard.tsx";
import { MemoryCard } from "./MemoryCard.tsx";
import { StagesCard } from "./StagesCard.tsx";
import { StepCard } from "./StepCard.tsx";
import { KernelsCard, OperatorsCard, UserCard } from "./TopCards.tsx";
import { WhatIfCard } from "./WhatIfCard.tsx";

function detailOf(doc: SummaryDoc): string {
  const workers = doc.waterfall?.inputs.processes ?? 1;
  const steps = doc.step_time?.steps ?? doc.steps.length;
  const period = doc.step_time?.period;
  return [
    period ? `${steps} steps, median ${formatTime(period.p50_ns)}`
      : "No steps were recorded",
    workers === 1 ? "1 worker" : `${workers} workers`,
    ledgerText(doc.ledger.seen, trace.value?.info.rejected ?? 0,
      trace.value?.info.repaired ?? 0),
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
  const title = headline(advise, doc.overview.gpu.length > 0) || "Overview";
  return (
    <Page title={title} detail={detailOf(doc)} actions={<>
      <ExportReport />
      <button class="button primary" onClick={() => navigate(
        { ...route.value, view: "trace", more: {} }, true)}>
        Open in Trace
      </button>
    </>}>
      <Figures figures={figuresOf(doc, advise, devices[0] ?? null)}
        doc={doc} />
      <div class="overview">
        <div class="wide">
          <StepCard doc={doc} />
          <div class="pair">
            <StagesCard doc={doc} />
            <EventsCard doc={doc} />
          </div>
          <div class="pair">
            <KernelsCard doc={doc} />
            <OperatorsCard doc={doc} />
          </div>
        </div>
        <div class="narrow-side">
          <AdviceCard advise={advise} />
          <WhatIfCard advise={advise} t={trace.value?.t ?? ""} />
        </div>
      </div>
      <div class="trio">
        <div class="stack">
          <MemoryCard doc={doc} />
          <PerfCard doc={doc} />
        </div>
        <DeviceCard doc={doc} devices={devices} />
        <div class="stack">
          <RunCard doc={doc} />
          <LedgerCard doc={doc}
            said={[...advise?.doubts ?? [], ...advise?.notes ?? []]} />
        </div>
      </div>
      <UserCard doc={doc} tables={declared} />
    </Page>
  );
}

export default function OverviewView() {
  const summary = useSummary();
  const advice = useAdvice();
  return (
    <Loaded whole what="The summary" load={summary}>
      {(doc) => <Content doc={doc}
        advise={advice.state === "ready" ? advice.value : null} />}
    </Loaded>
  );
}

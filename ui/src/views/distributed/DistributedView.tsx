// SPDX-License-Identifier: Apache-2.0
//
// A run of several traces: the job of all ranks. One trace: what it
// communicates, and how much of that hides behind computation.
import type {
  Distribution, OverlapPart, SummaryDoc,
} from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { formatShare, formatTime } from "../../model/format.ts";
import { objectsOf } from "../../model/device_use.ts";
import { useFlatTable, useRows, useTables } from "../../state/documents.ts";
import { useAnswer } from "../../state/load.ts";
import { showCollective } from "../../state/locate_rank.ts";
import { route } from "../../state/route.ts";
import { picked, trace } from "../../state/trace.ts";
import { Message } from "../../shell/Messages.tsx";
import { Card, Loaded, Page } from "../parts.tsx";
import { CollectivesTable } from "./CollectivesCard.tsx";
import { JobView } from "./JobView.tsx";
import { OverlapBar } from "./OverlapBar.tsx";

function Overlap({ distribution }: { distribution: Distribution }) {
  const load = useFlatTable("overlap_parts");
  return (
    <Card title="This trace" detail={
      `${formatTime(distribution.step_ns)} in steps`}>
      <Loaded what="The overlap" load={load}>
        {(data) => <OverlapBar parts={objectsOf<OverlapPart>(data)} />}
      </Loaded>
      <table class="plain">
        <thead><tr><th scope="col">Part</th>
          <th scope="col" class="num">Time</th></tr></thead>
        <tbody>
          <tr><th scope="row"><Swatch hue="communication" />
            Communication</th><td class="num" data-figure="communication">
            {formatTime(distribution.communication_ns)}</td></tr>
          <tr><th scope="row"><Swatch hue="kernel" />Computation</th>
            <td class="num" data-figure="computation">
              {formatTime(distribution.computation_ns)}</td></tr>
          <tr><th scope="row"><Swatch hue="user" />Overlap of both</th>
            <td class="num" data-figure="overlap">
              {formatTime(distribution.overlap_ns)}</td></tr>
        </tbody>
      </table>
      <p class="note quiet">{distribution.overlap_ratio === null
        ? "Nothing was communicated."
        : `${formatShare(distribution.overlap_ratio)} of the communication ` +
          "hides behind computation."}</p>
    </Card>
  );
}

/** The collectives of one rank: how long and how fast, not who waits. */
function Collectives({ doc, t }: { doc: SummaryDoc; t: string }) {
  const tables = useTables();
  const rows = doc["collectives"];
  const data = useRows(tables.state === "ready" ? tables.value : undefined,
    "collectives", Array.isArray(rows) ? rows as unknown[] : []);
  if (data.columns.length === 0) return null;
  return <CollectivesTable data={data}
    onShow={(kind) => void showCollective(t, kind)} />;
}

function OneTrace({ t }: { t: string }) {
  const summary = useAnswer("summary",
    { t, "link-peak": route.value.more["peak"] || null });
  return (
    <Loaded whole what="Communication" load={summary}>
      {(doc) => !doc.distribution?.communication_ns
        ? <Message title="No communication in this trace"
          text={"It has one worker and no collective. Record every rank of " +
            "a job into one folder to compare them."} />
        : (
          <Page title="Distributed" detail={
            "One worker; record every rank into one folder to compare them"}>
            <Overlap distribution={doc.distribution} />
            <Collectives doc={doc} t={t} />
          </Page>
        )}
    </Loaded>
  );
}

export default function DistributedView() {
  const now = picked.value;
  if (now?.run.all && now.window)
    return <JobView run={now.run} t={now.window.t} />;
  return trace.value && <OneTrace t={trace.value.t} />;
}

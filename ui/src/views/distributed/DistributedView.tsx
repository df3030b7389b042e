// SPDX-License-Identifier: Apache-2.0
//
// Communication and computation of each worker, and how much of one hides
// behind the other; who waits for whom where several ranks were recorded.
import type {
  DeclaredTable, Distribution, OverlapPart, SummaryDoc,
} from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { formatShare, formatTime } from "../../model/format.ts";
import { objectsOf } from "../../model/device_use.ts";
import { jobName, workersOfJob } from "../../model/pick.ts";
import { useFlatTable, useRows, useSummary, useTables }
  from "../../state/documents.ts";
import { useAnswer } from "../../state/load.ts";
import { showRankRow } from "../../state/locate_rank.ts";
import { useOpened } from "../../state/opened.ts";
import { route, setMore } from "../../state/route.ts";
import { picked } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { Message } from "../../shell/Messages.tsx";
import { Card, Loaded, Page, Segments } from "../parts.tsx";
import { OverlapBar } from "./OverlapBar.tsx";
import { WorkerBars } from "./WorkerBars.tsx";

// Tables of several ranks, in the order in which they are read.
const RANK_TABLES: { key: string; title: string; empty: string }[] = [
  { key: "stragglers", title: "Who makes the others wait",
    empty: "No rank makes the others wait." },
  { key: "ranks", title: "Ranks", empty: "Ranks are not known." },
  { key: "rank_steps", title: "Ranks, step by step",
    empty: "Ranks are not known." },
  { key: "collectives", title: "Collectives: wait against transfer",
    empty: "No collectives were recorded." },
];

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

function RankTable({ t, doc, tables, which }: {
  t: string; doc: SummaryDoc; tables: DeclaredTable[];
  which: typeof RANK_TABLES[0];
}) {
  const rows = doc[which.key];
  const list = Array.isArray(rows) ? rows as unknown[] : [];
  const data = useRows(tables, which.key, list);
  if (data.columns.length === 0) return null;
  // When a step began is a large number of a clock that nobody reads.
  const first = data.columns.map((column) => column.key)
    .filter((key) => key !== "start_ns").slice(0, 9);
  return (
    <Card title={which.title} class="rank-table">
      <Table label={which.title} data={data} prefix={which.key + "."}
        usual={first} rows={10} empty={which.empty}
        onShow={(_, row) =>
          void showRankRow(t, which.key, list[row], doc)} />
    </Card>
  );
}

/** Which job: the chosen one, else that of the trace above. */
function Jobs({ jobs }: { jobs: string[] }) {
  const { run, window } = picked.value!;
  const has = (job: string) => job.split(".").includes(window?.t ?? "");
  const wanted = route.value.more["job"] ?? "";
  const job = jobs.includes(wanted) ? wanted : jobs.find(has) ?? jobs[0]!;
  const workers = workersOfJob(run, job);
  return (
    <>
      <Card title="Jobs" detail={`this run has traces of ${
        jobs.length}; ranks are compared within one of them`}>
        <div class="tabs jobs">
          <Segments label="Job" value={job} options={jobs.map((one) =>
            ({ value: one, text: jobName(run, one) }))}
          onPick={(value) => setMore("job", value)} />
        </div>
        {workers.length < 2 && <p class="note quiet">This job has one worker:
          there is nobody to wait for.</p>}
      </Card>
      {workers.length > 1 && <JobTables key={job} t={job} />}
    </>
  );
}

/** The tables of the whole job, whichever of its workers is shown. */
function JobTables({ t }: { t: string }) {
  const opened = useOpened(t);
  const ready = opened.state === "ready";
  const summary = useAnswer("summary", ready ? { t } : null);
  const tables = useTables();
  if (opened.state === "failed" && opened.jobs)
    return <Jobs jobs={opened.jobs} />;
  return (
    <Loaded<SummaryDoc | string> what="All ranks together"
      load={ready ? summary : opened}>
      {(doc) => typeof doc === "string" ? null : (
        <Loaded what="The columns" load={tables}>
          {(declared) => RANK_TABLES.map((which) => (
            <RankTable key={which.key} t={t} doc={doc} tables={declared}
              which={which} />
          ))}
        </Loaded>
      )}
    </Loaded>
  );
}

export default function DistributedView() {
  const summary = useSummary();
  const workers = picked.value?.run.workers ?? [];
  const job = picked.value?.run.all;
  return (
    <Loaded whole what="Communication" load={summary}>
      {(doc) => !doc.distribution?.communication_ns && workers.length < 2
        ? <Message title="No communication in this trace"
          text={"It has one worker and no collective. Record every rank of " +
            "a job into one folder to compare them."} />
        : (
          <Page title="Distributed" detail={workers.length > 1
            ? `${workers.length} workers in this run`
            : "One worker; record every rank into one folder to compare them"}>
            <WorkerBars workers={workers} />
            {doc.distribution && <Overlap distribution={doc.distribution} />}
            {job && <JobTables t={job.t} />}
          </Page>
        )}
    </Loaded>
  );
}

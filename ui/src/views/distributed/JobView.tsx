// SPDX-License-Identifier: Apache-2.0
//
// All ranks of a job at once: who is late first, every step of every rank, how
// fast they exchange data. No trace has to be open for that.
import { useMemo } from "preact/hooks";
import type {
  FlatTable, JobInfo, JobRow, RunInfo,
} from "../../generated/answers.ts";
import { fromFlat } from "../../model/declared.ts";
import { countOf, formatCount, formatTime } from "../../model/format.ts";
import { togetherOf } from "../../model/job.ts";
import { tableOf } from "../../model/sql.ts";
import { columnIndex, type Data } from "../../model/table.ts";
import { useJob } from "../../state/job.ts";
import { showCollective, showRankStep } from "../../state/locate_rank.ts";
import { useAnswer } from "../../state/load.ts";
import { route, setMore } from "../../state/route.ts";
import { Message } from "../../shell/Messages.tsx";
import { Prose } from "../../shell/Prose.tsx";
import { rankLook } from "../../table/looks.tsx";
import { Table } from "../../table/Table.tsx";
import { Card, Loaded, Page, Segments } from "../parts.tsx";
import { CollectivesCard } from "./CollectivesCard.tsx";
import { HeatMapCard } from "./HeatMapCard.tsx";

/** -1: the recorded window, which has no number. */
const numberAt = (data: Data, row: number, key: string) =>
  Number(data.cell(row, columnIndex(data, key)) ?? -1);

function RankTable({ title, name, flat, usual, rows, empty, detail, onShow }: {
  title: string; name: string; flat: FlatTable; usual: string[];
  rows: number; empty: string; detail?: string;
  onShow: (data: Data, row: number) => void;
}) {
  const data = useMemo(() => fromFlat(flat), [flat]);
  return (
    <Card title={title} detail={detail} class="rank-table">
      <Table label={title} data={data} prefix={name + "."} usual={usual}
        sql={tableOf(name)} rows={rows} empty={empty} look={rankLook}
        onShow={onShow} />
    </Card>
  );
}

/** So many ranks are listed together; the map shows those of any number. */
const TOGETHER = 32;
const ALL = "all";

function StepsOfRank({ t, ranks, onShow }: {
  t: string; ranks: number[]; onShow: (rank: number, step: number) => void;
}) {
  const choices = [...ranks.length <= TOGETHER ? [ALL] : [],
    ...ranks.map(String)];
  const wanted = route.value.more["rank"] ?? "";
  const rank = choices.includes(wanted) ? wanted : choices[0]!;
  const load = useAnswer("job_steps", { t, rank: rank === ALL ? null : rank });
  return (
    <Card title="Ranks, step by step" class="rank-table" actions={
      <label class="field"><span class="quiet">Rank</span>
        <select aria-label="Rank" value={rank} onChange={(event) =>
          setMore("rank", event.currentTarget.value)}>
          {choices.map((one) => <option key={one}>{one}</option>)}
        </select></label>}>
      <Loaded what="The steps of the rank" load={load}>
        {({ rank_steps: flat }) => {
          const data = fromFlat(flat);
          return <Table label="Ranks, step by step" data={data} rows={10}
            prefix="rank_steps." look={rankLook}
            sql={{ ...tableOf("rank_steps"),
              ...rank === ALL ? {} : { where: ["rank", rank] } }}
            empty="No step of this rank was recorded."
            usual={["step", "rank", "step_ns", "computation_ns", "exposed_ns",
              "wait_ns", "idle_ns", "idle_cause", "delays_ns"]}
            onShow={(shown, row) => onShow(numberAt(shown, row, "rank"),
              numberAt(shown, row, "step"))} />;
        }}
      </Loaded>
    </Card>
  );
}

function nameOfJob(job: JobRow): string {
  const file = job.name.split("/").at(-1)!;
  return job.traces === 1 ? file
    : `${file} and ${formatCount(job.traces - 1)} more`;
}

function Jobs({ jobs, shown }: { jobs: JobRow[]; shown: string }) {
  return (
    <Card title="Jobs" detail={`this run has traces of ${
      jobs.length} jobs; ranks are compared within a job`}>
      <div class="tabs jobs">
        <Segments label="Job" value={shown} options={jobs.map((one) =>
          ({ value: one.id, text: nameOfJob(one) }))}
        onPick={(value) => setMore("job", value)} />
      </div>
    </Card>
  );
}

function Ready({ t, run, info }: {
  t: string; run: RunInfo; info: JobInfo;
}) {
  const job = info.job!;
  const together = togetherOf(run, job);
  const ranks = useMemo(() => {
    const data = fromFlat(info.ranks!);
    return Array.from({ length: data.count },
      (_, row) => numberAt(data, row, "rank"));
  }, [info.ranks]);
  const show = (rank: number, step: number) =>
    void showRankStep({ t, together, job, run }, rank, step);
  const detail = [
    job.ranks > 0 ? countOf(job.ranks, "rank") : "",
    info.step_count ? countOf(info.step_count, "step") : "",
    job.step_ns === null ? "" : `step time ${formatTime(job.step_ns)}, ` +
      "mean of all ranks",
    countOf(job.traces, "trace"),
  ].filter(Boolean).join(" · ");
  return (
    <Page title={job.headline.join(" ") || "Distributed"} detail={detail}>
      {info.jobs!.length > 1 && <Jobs jobs={info.jobs!} shown={job.id} />}
      {ranks.length < 2 && <p class="note quiet">This job has one worker:
        there is nobody to wait for. To compare ranks, put the traces of all
        of them into one folder.</p>}
      {ranks.length > 1 && <>
        <RankTable title="Who makes the others wait" name="stragglers"
          flat={info.stragglers!} rows={6}
          detail="the one that costs most comes first"
          empty="No rank makes the others wait."
          usual={["rank", "delays_ns", "gain_ns", "gain_ratio",
            "others_wait_ns", "last", "doing", "doing_ns"]}
          onShow={(data, row) => show(numberAt(data, row, "rank"), -1)} />
        <HeatMapCard t={t} measures={info.measures!} onPick={show} />
        <RankTable title="Ranks" name="ranks" flat={info.ranks!} rows={12}
          detail="of a step, on average" empty="Ranks are not known."
          usual={["rank", "steps", "step_ns", "computation_ns", "exposed_ns",
            "wait_ns", "idle_ns", "delays_ns", "load", "last", "host"]}
          onShow={(data, row) => show(numberAt(data, row, "rank"), -1)} />
      </>}
      {(ranks.length > 1 || info.collectives!.rows.length > 0) &&
        <CollectivesCard flat={info.collectives!}
          onShow={(kind) => void showCollective(together, kind)} />}
      {ranks.length > 1 && <StepsOfRank t={t} ranks={ranks} onShow={show} />}
      {info.notes!.map((note) => (
        <p key={note} class="note quiet"><Prose text={note} /></p>
      ))}
    </Page>
  );
}

export function JobView({ run, t }: { run: RunInfo; t: string }) {
  const wanted = route.value.more["job"] ?? "";
  const load = useJob(wanted || t, route.value.more["peak"] ?? "");
  return (
    <Loaded whole what="The ranks" load={load}>
      {(info) => info.state === "ready"
        ? <Ready t={wanted || t} run={run} info={info} />
        : (
          <Message title="Reading the ranks" text={`${
            formatCount(info.done)} of ${countOf(info.total, "trace")}. ` +
            "What was read is kept for next time."}>
            <progress value={info.done} max={info.total}
              aria-label="Traces read" />
          </Message>
        )}
    </Loaded>
  );
}

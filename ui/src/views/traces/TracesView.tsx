// SPDX-License-Identifier: Apache-2.0
//
// The start of a folder: its jobs and traces, newest first, with what is known
// of each without opening it. Two of them can be compared.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { JobRow, TraceList } from "../../generated/answers.ts";
import { countOf, formatBytes, formatCount, formatTime }
  from "../../model/format.ts";
import { ALL_WORKERS } from "../../model/pick.ts";
import { otherTrace } from "../../model/route.ts";
import type { Cell, Column, Data } from "../../model/table.ts";
import {
  dataOfLines, linesOfList, pairOf, stateText, whenText, type TraceLine,
} from "../../model/trace_list.ts";
import { api } from "../../state/api.ts";
import { useTraceList } from "../../state/job.ts";
import { errorText } from "../../state/load.ts";
import { navigate, route } from "../../state/route.ts";
import { runs } from "../../state/trace.ts";
import { toast } from "../../shell/Toast.tsx";
import { Prose } from "../../shell/Prose.tsx";
import { Table } from "../../table/Table.tsx";
import { Card, Loaded, Page } from "../parts.tsx";

function openJob(job: JobRow): void {
  navigate({ ...otherTrace({ run: job.run, worker: ALL_WORKERS },
    { job: job.id }), view: "distributed" }, true);
}

function openLine(line: TraceLine): void {
  navigate({ ...otherTrace({ run: line.run, worker: line.worker,
    window: line.t }), view: "overview" }, true);
}

function Jobs({ jobs }: { jobs: JobRow[] }) {
  return (
    <Card title="Jobs" detail="traces that were recorded together">
      <ul class="job-list">
        {jobs.map((job) => (
          <li key={job.id}>
            <button class="name-link" title="Open all ranks"
              onClick={() => openJob(job)}>
              {job.name}{job.traces > 1 &&
                ` and ${formatCount(job.traces - 1)} more`}</button>
            <span class="quiet">{[
              job.ranks > 1 ? countOf(job.ranks, "rank") : "",
              countOf(job.traces, "trace"), countOf(job.steps, "step"),
              job.step_ns === null ? "" : formatTime(job.step_ns) + " a step",
              formatBytes(job.bytes), whenText(job.modified_ns),
            ].filter(Boolean).join(" · ")}</span>
            {job.headline.length > 0 &&
              <p><Prose text={job.headline.join(" ")} /></p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The state as a chip; what is not whole has another colour. */
const KIND: Record<TraceLine["state"], string> = {
  whole: "good", cut: "bad", unreadable: "bad", recording: "live",
  waiting: "", reading: "", unread: "",
};

function Content({ list, onRead }: {
  list: TraceList; onRead: (t: string) => void;
}) {
  const chosen = useSignal<Set<string>>(new Set());
  const listed = runs.value.state === "ready" ? runs.value.value : null;
  const lines = useMemo(() => listed ? linesOfList(list, listed) : [],
    [list, listed]);
  const data = useMemo(() => dataOfLines(lines), [lines]);
  const pair = pairOf(lines, chosen.value);
  const toggle = (t: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(t)) next.add(t);
    chosen.value = next;
  };
  const look = (_: Cell, column: Column, __: Data, row: number) => {
    const line = lines[row]!;
    switch (column.key) {
      case "pick": return line.known && <input type="checkbox"
        aria-label={`Compare ${line.file}`} checked={chosen.value.has(line.t)}
        disabled={chosen.value.size >= 2 && !chosen.value.has(line.t)}
        onClick={(event) => event.stopPropagation()}
        onChange={() => toggle(line.t)} />;
      case "file": return line.known
        ? <button class="name-link" title={`Open ${line.file}`}
          onClick={() => openLine(line)}>{line.file}</button>
        : <span class="cell-text faint">{line.file}</span>;
      case "state": return line.state === "unread"
        ? <button class="link" title={"Not read yet: it is large, or one of " +
          "many. Read it now"} onClick={() => onRead(line.t)}>Read</button>
        : <span class={`chip ${KIND[line.state]}`}>
          {stateText(line.state)}</span>;
      case "headline": return <span class="cell-text">
        <Prose text={line.why || line.headline.join(" ")} /></span>;
      default: return undefined;
    }
  };
  const compare = () => {
    if (!pair) return;
    const [a, b] = pair;
    navigate({ ...otherTrace({ run: b.run, worker: b.worker, window: b.t },
      { with: a.t }), view: "compare" }, true);
  };
  const reading = list.traces.some((one) =>
    one.state === "waiting" || one.state === "reading");
  return (
    <Page title={listed?.folder || "Traces"} fill detail={
      <span role="status">{countOf(list.total, "trace")}
        {list.jobs.length > 0 && `, ${countOf(list.jobs.length, "job")}`}
        {reading && ` · ${formatCount(list.done)} read so far` +
          (list.reading ? `, now ${list.reading}` : "")}
      </span>}
    actions={<button class="button primary" disabled={!pair}
      title={pair ? `${pair[1].file} beside ${pair[0].file}`
        : "Choose two traces in the list"} onClick={compare}>
      Compare two</button>}>
      {list.jobs.length > 0 && <Jobs jobs={list.jobs} />}
      <Card title="Traces" detail="newest first" class="table-card">
        <Table label="Traces" data={data} prefix="traces." look={look}
          usual={["file", "pick", "state", "modified", "bytes", "steps",
            "step_ns", "ranks", "headline"]}
          empty="There is no trace in this folder yet." />
      </Card>
    </Page>
  );
}

/** One job is the whole folder: it is what people came for. */
function useOnlyJob(list: TraceList | null): void {
  const only = list && list.jobs.length === 1 &&
    list.jobs[0]!.traces === list.total && list.jobs[0]!.ranks > 1
    ? list.jobs[0]! : null;
  useEffect(() => {
    // Only who came without an address, and has not looked at anything yet.
    if (only && route.value.view === "" &&
      Object.keys(route.value.more).length === 0)
      navigate({ ...otherTrace({ run: only.run, worker: ALL_WORKERS }),
        view: "distributed" });
  }, [only?.id]);
}

export default function TracesView() {
  const asked = useSignal(0);
  const load = useTraceList(asked.value);
  const last = useSignal<TraceList | null>(null);
  if (load.state === "ready" && last.peek() !== load.value)
    last.value = load.value;
  useOnlyJob(last.value);
  const read = (t: string) => {
    api.post("read", { t }).then(() => {
      asked.value++;
    }, (error) => toast(`It cannot be read: ${errorText(error)}`));
  };
  return last.value && load.state !== "failed"
    ? <Content list={last.value} onRead={read} />
    : <Loaded whole what="The traces" load={load}>
      {(list) => <Content list={list} onRead={read} />}</Loaded>;
}

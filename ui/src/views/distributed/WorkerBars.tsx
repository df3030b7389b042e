// SPDX-License-Identifier: Apache-2.0
//
// One bar per worker, each from the summary of its own trace. A worker is
// asked only when it is shown, and those that are not open yet are opened.
import { OVERLAPS } from "../../generated/looks.ts";
import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type {
  OverlapPart, SummaryDoc, TraceInfo, WorkerInfo,
} from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { fromFlat } from "../../model/declared.ts";
import { objectsOf } from "../../model/device_use.ts";
import { stepNumbers } from "../../model/distributed.ts";
import { formatTime } from "../../model/format.ts";
import { otherTrace } from "../../model/route.ts";
import { api } from "../../state/api.ts";
import { errorText } from "../../state/load.ts";
import { openTrace } from "../../state/opened.ts";
import { navigate, route, setMore } from "../../state/route.ts";
import { Card } from "../parts.tsx";
import { OverlapBar } from "./OverlapBar.tsx";

const SHOWN = 16;

interface OfWorker {
  info: TraceInfo;
  doc: SummaryDoc;
  parts: OverlapPart[];
}

async function readWorker(
  t: string, steps: string, stop: AbortSignal): Promise<OfWorker> {
  const info = await openTrace(t, stop);
  const params = steps ? { t, steps } : { t };
  const [doc, table] = await Promise.all([
    api.get("summary", params, stop),
    api.get("table", { ...params, name: "overlap_parts" }, stop)]);
  return { info, doc, parts: objectsOf<OverlapPart>(fromFlat(table)) };
}

/** Another worker; the step and the job that are looked at stay. */
function openWorker(worker: string): void {
  const more = Object.fromEntries(Object.entries(route.value.more)
    .filter(([key]) => key === "step" || key === "job"));
  navigate(otherTrace({ worker, window: "" }, more), true);
}

function Row({ worker, steps, onSteps }: {
  worker: WorkerInfo; steps: string; onSteps: (list: number[]) => void;
}) {
  const answer = useSignal<OfWorker | null>(null);
  const failure = useSignal("");
  const t = worker.windows[0]?.t ?? "";
  useEffect(() => {
    if (!t) return;
    const stop = new AbortController();
    failure.value = "";
    readWorker(t, steps, stop.signal).then((read) => {
      answer.value = read;
      onSteps(stepNumbers(read.info.steps));
    }, (error) => {
      if (!stop.signal.aborted) failure.value = errorText(error);
    });
    return () => stop.abort();
  }, [t, steps]);
  const d = answer.value?.doc.distribution;
  return (
    <tr data-worker={worker.id}>
      <th scope="row"><button class="name-link" title="Open this worker"
        onClick={() => openWorker(worker.id)}>
        {worker.name}</button></th>
      <td class="lane-wide">
        {failure.value ? <span class="bad">{failure.value}</span>
          : answer.value ? <OverlapBar parts={answer.value.parts} />
            : <span class="faint">reading…</span>}
      </td>
      <td class="num">{d ? formatTime(d.communication_ns) : ""}</td>
      <td class="num">{d ? formatTime(d.computation_ns) : ""}</td>
      <td class="num">{d ? formatTime(d.overlap_ns) : ""}</td>
      <td class="num quiet">{d ? formatTime(d.step_ns) : ""}</td>
    </tr>
  );
}

export function WorkerBars({ workers }: { workers: WorkerInfo[] }) {
  const known = useSignal<number[]>([]);
  const steps = route.value.more["step"] ?? "";
  if (workers.length < 2) return null;
  const chosen = steps ? `${steps}:${Number(steps) + 1}` : "";
  return (
    <Card title="Workers" detail={workers.length > SHOWN
      ? `the first ${SHOWN} of ${workers.length}` : undefined}
    actions={
      <label class="top-k field"><span class="quiet">Step</span>
        <select aria-label="Step" value={steps} onChange={(event) =>
          setMore("step", event.currentTarget.value)}>
          <option value="">all</option>
          {known.value.map((index) => (
            <option key={index} value={String(index)}>{index}</option>
          ))}
        </select></label>
    }>
      <table class="plain workers">
        <thead><tr><th scope="col">Worker</th>
          <th scope="col">Its steps</th>
          <th scope="col" class="num">Communication</th>
          <th scope="col" class="num">Computation</th>
          <th scope="col" class="num">Overlap</th>
          <th scope="col" class="num">In steps</th></tr></thead>
        <tbody>{workers.slice(0, SHOWN).map((worker) => (
          <Row key={worker.id} worker={worker} steps={chosen}
            onSteps={(list) => {
              if (list.length > known.value.length) known.value = list;
            }} />
        ))}</tbody>
      </table>
      <p class="chart-legend">
        {Object.values(OVERLAPS).map(({ hue, title }) =>
          <span key={hue}><Swatch hue={hue} />{title}</span>)}
      </p>
    </Card>
  );
}

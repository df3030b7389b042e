// SPDX-License-Identifier: Apache-2.0
//
// One axis of time: what is in the batch, the phases of each request below it,
// and at the side what is chosen.
import { useMemo, useRef } from "preact/hooks";
import type { RequestList, ServingInfo } from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { ITERATIONS, PHASES } from "../../generated/looks.ts";
import { clampRange, zoomAt, type Range } from "../../model/axis.ts";
import { formatCount, formatTime } from "../../model/format.ts";
import { lookOf } from "../../model/palette.ts";
import {
  billOf, extentOf, requestsIn, servingRange, spotsOf, type Spot,
} from "../../model/serving.ts";
import { Prose } from "../../shell/Prose.tsx";
import { toast } from "../../shell/Toast.tsx";
import { useAnswer, type Load } from "../../state/load.ts";
import { showRange } from "../../state/locate.ts";
import { navigate, route, setMore } from "../../state/route.ts";
import { choose, chosen, serves, showWorkOf } from "../../state/serving.ts";
import { trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { Card, Loaded, Segments, Sized } from "../parts.tsx";
import { BatchChart, BATCH_HEIGHT } from "./BatchChart.tsx";
import { ChosenPanel } from "./ChosenPanel.tsx";
import { useFlat } from "./KindsCard.tsx";
import { RequestLanes } from "./RequestLanes.tsx";

/** Columns of the answer: more than any screen has, so that a size will do. */
const PIXELS = 2400;

function useSpots(range: Range): Load<Spot[]> {
  const group = route.value.more["group"];
  const { request } = chosen.value;
  const load = useAnswer("iterations", { t: trace.value!.t, px: PIXELS,
    t0: Math.floor(range.t0), t1: Math.ceil(range.t1),
    group: /^\d+$/.test(group ?? "") ? group : undefined,
    request: request ?? undefined });
  const value = load.state === "ready" ? load.value : null;
  const spots = useMemo(() => value && spotsOf(value), [value]);
  // What was there stays until the next is here.
  const last = useRef<Spot[] | null>(null);
  if (spots) last.current = spots;
  const shown = spots ?? last.current;
  return shown && load.state !== "failed"
    ? { state: "ready", value: shown } : load as Load<Spot[]>;
}

function show(range: Range, span: number): void {
  const { t0, t1 } = clampRange(range, span);
  navigate({ from: Math.round(t0), to: Math.round(t1) }, true);
}
const showAll = () => navigate({ from: null, to: null }, true);

/** Phases have the colours of the iterations that do them. */
function Colours() {
  const kinds = serves.value?.kinds ?? [];
  const phases = Object.keys(serves.value?.requests ? PHASES : {})
    .filter((phase) => !kinds.includes(phase));
  const looks = [...kinds.map((kind) => lookOf(ITERATIONS, kind)),
    ...phases.map((phase) => lookOf(PHASES, phase))];
  return (
    <ul class="chart-legend" aria-label="Colours">
      {looks.map(({ hue, title }) => (
        <li key={title}><Swatch hue={hue} />{title}</li>
      ))}
    </ul>
  );
}

/** How requests share what an iteration takes of the device. */
function BillChoice({ info }: { info: ServingInfo }) {
  const { name, meaning } = billOf(info, route.value.more);
  return (
    <label class="bill" title={meaning}>
      Device time
      <select value={name} onChange={({ currentTarget: { value } }) =>
        setMore("bill", value === info.bills[0]!.name ? "" : value)}>
        {info.bills.map((one) => (
          <option key={one.name} value={one.name}>{one.title}</option>
        ))}
      </select>
    </label>
  );
}

/** Whose iterations: of several processes that do not do the same. */
function ProcessChoice() {
  const info = trace.value!.info;
  const groups = serves.value?.groups ?? [];
  if (groups.length < 2) return null;
  return (
    <select aria-label="Process" value={route.value.more["group"] ?? ""}
      onChange={(event) => setMore("group", event.currentTarget.value)}>
      <option value="">All processes</option>
      {groups.map((id) => (
        <option key={id} value={String(id)}>
          {info.groups.find((one) => one.id === id)?.name ?? id}</option>
      ))}
    </select>
  );
}

function Actions({ range, span }: { range: Range; span: number }) {
  const middle = (range.t0 + range.t1) / 2;
  const zoom = (factor: number) =>
    show(zoomAt(range, factor, middle, span), span);
  return (
    <span class="row">
      <ProcessChoice />
      <button class="button small" onClick={() => zoom(0.5)}>Zoom in</button>
      <button class="button small" onClick={() => zoom(2)}>Zoom out</button>
      <button class="button small" disabled={route.value.from === null}
        onClick={showAll}>Show all</button>
      <button class="button small" onClick={() =>
        showRange(Math.max(0, range.t0), Math.min(span, range.t1))}>
        On the timeline</button>
    </span>
  );
}

function RequestTable({ list }: { list: RequestList }) {
  const data = useFlat(list.table);
  const onTimeline = (request: number) => {
    const extent = extentOf(list, request);
    if (extent) showWorkOf({ request }, extent.start, extent.end);
    else toast("It is not known when this request arrived or ended.");
  };
  return (
    <Table label="Requests" data={data} prefix="req."
      usual={["id", "tokens_in", "tokens_out", "queue_ns", "ttft_ns",
        "tpot_ns", "gpu_ns", "iterations"]} usualSort="arrival_ns" ascending
      rows={10} onRow={(_, row) => choose({ request: row })}
      onShow={(_, row) => onTimeline(row)} />
  );
}

function Requests({ list, info, range }: {
  list: RequestList; info: ServingInfo; range: Range;
}) {
  const shown = useMemo(() => requestsIn(list, range),
    [list, range.t0, range.t1]);
  const asTable = route.value.more["as"] === "table";
  const known = list.table.rows.length;
  return (
    <>
      <div class="tabs">
        <h3>Requests</h3>
        <span class="quiet" role="status">
          {shown.length === list.count ? "all "
            : `${formatCount(shown.length)} of `}
          {formatCount(list.count)}{" "}in view
          {known < list.count && `; the list has the first ` +
            `${formatCount(known)} that arrived`}</span>
        {info.busy_ns > 0 && <BillChoice info={info} />}
        <Segments label="Requests as" value={asTable ? "table" : ""} options={[
          { value: "", text: "Phases" }, { value: "table", text: "Table" },
        ]} onPick={(value) => setMore("as", value)} />
      </div>
      {asTable ? <RequestTable list={list} />
        : <RequestLanes list={list} shown={shown} range={range} />}
    </>
  );
}

export function TimeCard({ info }: { info: ServingInfo }) {
  const { t, info: { span_ns: span } } = trace.value!;
  const { from, to } = route.value;
  const range = from !== null && to !== null
    ? clampRange({ t0: from, t1: to }, span) : servingRange(info);
  const spots = useSpots(range);
  const bill = billOf(info, route.value.more).name;
  const requests = useAnswer("requests",
    info.requests > 0 ? { t, bill } : null);
  const { request, iteration } = chosen.value;
  return (
    <Card class="serving-card" title="Over time"
      detail={`${formatTime(range.t1 - range.t0)} in view`}
      actions={<Actions range={range} span={span} />}>
      <Colours />
      <div class="serving-time">
        <div class="serving-plot">
          <Loaded what="The iterations" load={spots}>
            {(list) => (
              <div class="serving-row chart">
                <Sized height={BATCH_HEIGHT}>
                  {(width) => <BatchChart spots={list} range={range}
                    width={width} total={info.iterations}
                    faded={request !== null} iteration={iteration}
                    onZoom={(next) => show(next, span)}
                    onWhole={showAll}
                    onPick={(first) => choose({ iteration: first })} />}
                </Sized>
              </div>
            )}
          </Loaded>
          {info.requests > 0
            ? <Loaded what="The requests" load={requests}>
              {(list) => <Requests list={list} info={info} range={range} />}
            </Loaded>
            : <p class="nothing"><Prose text={"This trace does not say which " +
              "requests an iteration served. To record them, call " +
              "`stepscope.hook(\"vllm\")` before the engine is created, or " +
              "use `stepscope.request()` and `stepscope.iteration()`."} /></p>}
        </div>
        <ChosenPanel device={info.busy_ns > 0} bill={bill}
          onShow={(start, end) => showWorkOf(chosen.value, start, end)} />
      </div>
    </Card>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// What is inside a box: a table by name with percentiles, and a flame graph.
import { useSignal } from "@preact/signals";
import type { SelectInfo, SelectRow } from "../../generated/answers.ts";
import {
  BOX_COLUMNS, insideText, isCopy, type BoxKey,
} from "../../model/box_columns.ts";
import { countOf, formatCount, formatTime } from "../../model/format.ts";
import { shortName } from "../../model/names.ts";
import { Icon } from "../../shell/icons.tsx";
import type { Controller } from "./controller.ts";
import { ClassSwatch } from "./Details.tsx";
import { FlameGraph } from "../../charts/FlameGraph.tsx";
import { formatTracks } from "../../model/tiles.ts";
import { useAnswer } from "../../state/load.ts";
import { showRange } from "../../state/locate.ts";
import { trace } from "../../state/trace.ts";
import { Loaded } from "../parts.tsx";
import * as s from "./store.ts";

const MOST_ROWS = 500;

export function sortRows(rows: SelectRow[], key: BoxKey, down: boolean)
  : SelectRow[] {
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[key], b[key]];
    return sign * (typeof x === "string" ? x.localeCompare(String(y))
      : x - Number(y));
  });
}

function Table({ rows }: { rows: SelectRow[] }) {
  const by = useSignal<{ key: BoxKey; down: boolean }>(
    { key: "total", down: true });
  const sorted = sortRows(rows, by.value.key, by.value.down);
  return (
    <div class="box-table">
      <table>
        <thead>
          <tr>{BOX_COLUMNS.map(([key, title, meaning]) => (
            <th key={key} scope="col" title={meaning}
              aria-sort={by.value.key !== key ? "none"
                : by.value.down ? "descending" : "ascending"}>
              <button onClick={() => {
                by.value = { key,
                  down: by.value.key === key ? !by.value.down
                    : key !== "name" };
              }}>{title}</button>
            </th>
          ))}</tr>
        </thead>
        <tbody>{sorted.slice(0, MOST_ROWS).map((row) => (
          <tr key={row.name_id + row.class + row.on}>{BOX_COLUMNS.map(([key]) =>
            (
            key === "name"
              ? <td key={key} title={row.name}><ClassSwatch name={row.class} />
                <span class="mono">{shortName(row.name)}</span>
                {isCopy(row) && <span class="quiet"> on the device</span>}</td>
              : <td key={key} title={key === "calls" && row.nested > 0
                ? insideText(row.nested) : undefined}>
                {key === "calls" ? formatCount(row.calls)
                : formatTime(row[key] as number)}</td>
          ))}</tr>
        ))}</tbody>
      </table>
      {rows.length > MOST_ROWS &&
        <p class="faint">The first {MOST_ROWS} of {formatCount(rows.length)}
          {" "}names. Sort or draw a smaller box to see others.</p>}
    </div>
  );
}

/** Of the host; where only streams are in the box, of the device. */
function BoxFlame() {
  const box = s.box.value!;
  const open = trace.value;
  const kinds = new Map(open?.info.tracks.map((one) => [one.id, one.kind]));
  const host = box.tracks.some((id) =>
    kinds.get(id) === "thread" || kinds.get(id) === "python");
  const load = useAnswer("flame", open ? { t: open.t,
    t0: Math.round(box.t0), t1: Math.round(box.t1),
    tracks: formatTracks(box.tracks), by: host ? "host" : "device" } : null);
  return (
    <Loaded what="The flame graph" load={load}>
      {(info) => <FlameGraph info={info} onShow={({ start, dur }) =>
        showRange(start, start + Math.max(dur, 1))} />}
    </Loaded>
  );
}

function Body({ answer }: { answer: SelectInfo }) {
  if (answer.events === 0)
    return <p class="quiet">No event is inside this box.</p>;
  return (
    <div class="box-columns">
      <Table rows={answer.rows} />
      <BoxFlame />
    </div>
  );
}

export function BoxPanel({ controller }: { controller: Controller | null }) {
  const box = s.box.value!;
  const answer = s.boxAnswer.value;
  return (
    <div class="details box-panel" role="region" aria-label="Selected box">
      <header>
        <h2>{answer?.state === "ready"
          ? countOf(answer.value.events, "event") : "Summing up"}
        <em>{formatTime(box.t1 - box.t0)}</em>
        <em>{countOf(box.tracks.length, "track")}</em></h2>
        <span class="row">
          <button class="button" onClick={() => controller?.frame()}>
            Zoom <kbd>F</kbd></button>
          <button class="button" onClick={() => controller?.mark()}>
            Mark <kbd>M</kbd></button>
          <button class="button" aria-label="Close"
            onClick={() => controller?.clear()}><Icon name="close" /></button>
        </span>
      </header>
      {answer?.state === "failed" && <p role="alert">The sums could not be
        computed: {answer.error}. Draw a smaller box.</p>}
      {answer?.state === "ready" && <Body answer={answer.value} />}
    </div>
  );
}

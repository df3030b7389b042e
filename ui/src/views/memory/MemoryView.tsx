// SPDX-License-Identifier: Apache-2.0
//
// Memory of a device over time, who allocated it, what is live at the peak,
// what may leak, and each allocation. A drag over the curve filters those.
import type {
  DeclaredTable, MemoryMapInfo, MemoryPlace, SummaryDoc,
} from "../../generated/answers.ts";
import { Curve } from "../../charts/Curve.tsx";
import { formatBytes, formatCount, formatTime } from "../../model/format.ts";
import { healthOf } from "../../model/health.ts";
import { lengthOf } from "../../model/axis.ts";
import { explainedText, placeName } from "../../model/memory.ts";
import { openingRange } from "../../model/memory_map.ts";
import { shownPlace } from "../../model/overview.ts";
import { readRange } from "../../model/route.ts";
import { rowsOf, viewOf } from "../../model/sql.ts";
import type { Data } from "../../model/table.ts";
import {
  chosenSteps, useFlatTable, useMemorySummary, useRows, useTables,
} from "../../state/documents.ts";
import { useAnswer } from "../../state/load.ts";
import { showOnTimeline, showRange } from "../../state/locate.ts";
import { route, setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { Message } from "../../shell/Messages.tsx";
import { Card, Loaded, Page, Segments } from "../parts.tsx";
import "../../styles/memory.css";
import { BoxCard } from "./BoxCard.tsx";
import { groupName, memoryTracks, useMemoryCurve } from "./curve.ts";
import { HeldTable, useHeld, type Instants } from "./HeldTable.tsx";
import { MemoryMap } from "./MemoryMap.tsx";

type Tab = "" | "events" | "live" | "held" | "leaks";

/** So many allocations are listed only of a time that was chosen. */
const MOST_LISTED = 200_000;
const WAYS = ["operator", "module", "line", "category"];

/** A row's event is the one that took most of this place. */
const showOwner = (place: MemoryPlace) => (data: Data, row: number) =>
  void showOnTimeline("memory", String(data.cell(row, 0)),
    { ...ofPlace(place), steps: chosenSteps() || null });

/** By what the server knows the place. */
const ofPlace = ({ place, process }: MemoryPlace) =>
  ({ place, ...process === undefined ? {} : { process } });

const whyNoSql = () => "t0" in range()
  ? "In SQL this table is of the whole trace, not of the chosen time" : "";
/** Rows inside that of a place name it and its process. */
const rowsInside = (column: string, { place, process }: MemoryPlace) =>
  rowsOf("memory", column,
    process === undefined ? place : `${place}, ${process}`);
const ofAllTime = (column: string, place: MemoryPlace) =>
  ({ ...rowsInside(column, place), why: whyNoSql() });

function ByOperator({ place }: { place: MemoryPlace }) {
  const load = useFlatTable("memory_owners",
    { ...ofPlace(place), ...range() });
  return (
    <Loaded what="Memory by operator" load={load}>
      {(data) => (
        <Table label="Memory by operator" data={data}
          onShow={showOwner(place)} sql={ofAllTime("rows", place)}
          usual={["name", "type", "allocation_count", "free_count",
            "allocation_bytes", "free_bytes", "increase_bytes"]}
          usualSort="allocation_bytes"
          empty="Nothing was allocated or freed in this time." />
      )}
    </Loaded>
  );
}

function LiveAtPeak({ place }: { place: MemoryPlace }) {
  const load = useFlatTable("memory_live",
    { ...ofPlace(place), ...range() });
  return (
    <Loaded what="What was live at the peak" load={load}>
      {(data) => {
        const explained = explainedText(data.facts, {
          steps: chosenSteps() !== "",
          lossless: healthOf(trace.value!.info).good,
        });
        return (
          <>
            {explained && <p class="note quiet">{explained}</p>}
            <Table label="Live at the peak" data={data} prefix="live."
              onShow={showOwner(place)} sql={ofAllTime("live_at_peak", place)}
              usual={["name", "bytes", "allocations"]} usualSort="bytes"
              empty="Nothing that was recorded was live at the peak." />
          </>
        );
      }}
    </Loaded>
  );
}

function Leaks({ place, tables }: {
  place: MemoryPlace; tables: DeclaredTable[];
}) {
  const data = useRows(tables, "memory", place.leak_candidates, [],
    "leak_candidates");
  return (
    <Table label="Leak candidates" data={data} prefix="leak."
      onShow={showOwner(place)} usual={[]}
      sql={rowsInside("leak_candidates", place)}
      empty={"Nothing grew in every step. " +
        "This needs at least four recorded steps."} />
  );
}

function range(): Record<string, string> {
  const chosen = readRange(
    route.value.more["mfrom"], route.value.more["mto"]);
  return chosen ? { t0: String(chosen.from), t1: String(chosen.to) } : {};
}

function Events({ place }: { place: MemoryPlace }) {
  const load = useFlatTable("memory_events",
    { ...ofPlace(place), ...range() });
  return (
    <Loaded what="Allocations" load={load}>
      {(data) => (
        <Table label="Allocations" data={data} prefix="ev."
          sql={{ ...viewOf("memory_events"), where: ["place", place.place],
            why: whyNoSql() }}
          usual={["allocated_by", "bytes", "type", "allocated_at_ns",
            "freed_by", "freed_at_ns", "dur_ns", "address"]}
          usualSort="bytes"
          onShow={(shown, row) => showAllocation(shown, row)} />
      )}
    </Loaded>
  );
}

function showAllocation(data: Data, row: number): void {
  const at = (key: string) => {
    const index = data.columns.findIndex((one) => one.key === key);
    const cell = index < 0 ? null : data.cell(row, index);
    return typeof cell === "number" ? cell : null;
  };
  const from = at("allocated_at_ns") ?? at("freed_at_ns") ?? 0;
  const to = at("freed_at_ns") ?? from + 1_000_000;
  showRange(from, Math.max(to, from + 10_000));
}

const instants = (): Instants => {
  const { event = "", other = "", at = "" } = route.value.more;
  return { event, other, at };
};

function chooseRange(from: number, to: number): void {
  setMore("mfrom", String(Math.round(from)));
  setMore("mto", String(Math.round(to)));
  // What grows in every step is not of one time, nor is an instant.
  if (["leaks", "held"].includes(route.value.more["tab"] ?? ""))
    setMore("tab", "events");
}

function chooseInstant(event: number, other: boolean): void {
  setMore(other ? "other" : "event", String(event));
  setMore("tab", "held");
}

function PlaceMap({ map, place }: {
  map: MemoryMapInfo; place: MemoryPlace;
}) {
  const by = WAYS.includes(route.value.more["by"] ?? "")
    ? route.value.more["by"]! : WAYS[0]!;
  const chosen = instants();
  const shows = Object.values(chosen).some(Boolean);
  const held = useHeld(shows ? map.id : null, chosen);
  const facts = held.state === "ready" ? held.value.facts ?? {} : {};
  const { box = "" } = route.value.more;
  const reserved = memoryTracks(place).reserved;
  const span = trace.value!.info.span_ns;
  const isPart = lengthOf(openingRange(map, span)) < span;
  return (
    <>
      <div class="tabs"><Segments label="Group by" value={by}
        options={WAYS.map((way) => ({ value: way,
          text: "By " + way }))} onPick={(way) => setMore("by", way)} /></div>
      <MemoryMap key={map.id} place={map} by={by}
        reservedTrack={reserved?.id ?? null}
        instants={[facts["at"], facts["other_at"]].filter(
          (time) => time !== undefined)}
        chosen={/^\d+$/.test(box) ? Number(box) : null}
        onSelect={chooseRange} onInstant={chooseInstant} />
      <p class="chart-legend"><span class="quiet">Click the areas to see what
        was held at that instant, a box to see its stack. Drag over the areas
        to choose a time, over the boxes to move. Ctrl and the wheel zoom; with
        Alt, in addresses.{isPart && " The map opens where most allocations " +
          "happen; the button Whole shows the entire recording."}</span></p>
    </>
  );
}

function PlainCurve({ place }: { place: MemoryPlace }) {
  const tracks = memoryTracks(place);
  const curve = useMemoryCurve(tracks, 1200);
  if (!tracks.allocated)
    return <p class="nothing">This place has no curve in the trace.</p>;
  return (
    <>
      {curve && (
        <Curve label={`Memory on ${placeName(place.place)} over time`}
          times={curve.times} series={curve.series} height={210}
          onSelect={chooseRange} />
      )}
      <p class="chart-legend">
        {curve?.series.map((one) => (
          <span key={one.name}><i class="swatch"
            style={{ color: `var(${one.colour})` }} />{one.name}</span>
        ))}
        {tracks.processes > 1 && <span class="quiet">Of{" "}
          {groupName(tracks.allocated)}, one of {formatCount(
            tracks.processes)} processes.</span>}
        <span class="quiet">Drag over the curve to see what happened in that
          time.</span></p>
    </>
  );
}

function PlaceCurve({ place, processes, map }: {
  place: MemoryPlace; processes: string[]; map: MemoryMapInfo | undefined;
}) {
  const chosen = range();
  return (
    <Card title={placeName(place.place)} detail={
      `peak ${formatBytes(place.peak_allocated_bytes)} allocated` +
      (place.peak_reserved_bytes
        ? `, ${formatBytes(place.peak_reserved_bytes)} reserved` : "")}
    actions={<>
      {processes.length > 1 && <select class="field" aria-label="Process"
        value={place.process} onChange={(event) =>
          setMore("process", event.currentTarget.value)}>
        {processes.map((one) => <option key={one}>{one}</option>)}
      </select>}
      {chosen["t0"] && (
        <button class="link" onClick={() => {
          setMore("mfrom", "");
          setMore("mto", "");
        }}>{formatTime(Number(chosen["t0"]))} –{" "}
          {formatTime(Number(chosen["t1"]))}: show all</button>
      )}</>}>
      {map ? <PlaceMap map={map} place={place} />
        : <PlainCurve place={place} />}
    </Card>
  );
}

function Content({ doc, tables, all }: {
  doc: SummaryDoc; tables: DeclaredTable[]; all: MemoryMapInfo[];
}) {
  const place = shownPlace(doc.memory, route.value.more["place"],
    route.value.more["process"])!;
  const map = all.find((one) => one.place === place.place &&
    one.process === (place.process ?? ""));
  const places = [...new Set(doc.memory.map((one) => one.place))];
  const processes = doc.memory.filter((one) => one.place === place.place)
    .map((one) => one.process ?? "");
  const tab = (route.value.more["tab"] ?? "") as Tab;
  const { box } = route.value.more;
  const tooMany = (map?.allocations ?? 0) > MOST_LISTED && !range()["t0"];
  return (
    <Page title="Memory" fill detail={"Allocations as the allocator stated " +
      "them"} actions={
      places.length > 1 && <Segments label="Place" value={place.place}
        options={places.map((one) => ({ value: one, text: placeName(one) }))}
        onPick={(value) => setMore("place", value)} />
    }>
      <PlaceCurve place={place} processes={processes} map={map} />
      {map && box && <BoxCard place={map.id} id={box} />}
      <Card class="table-card">
        <div class="tabs">
          <Segments label="Table" value={tab} options={[
            { value: "", text: "By operator" },
            { value: "events", text: "Allocations" },
            { value: "live", text: "Live at the peak" },
            ...(map ? [{ value: "held" as const,
              text: "Held at an instant" }] : []),
            { value: "leaks", text: `Leak candidates (${
              place.leak_candidates.length})` },
          ]} onPick={(value) => setMore("tab", value)} />
        </div>
        {tab === "events" && tooMany
          ? <p class="nothing">These are {formatCount(map!.allocations)}{" "}
            allocations. Drag over the areas to choose a time.</p>
          : tab === "events" ? <Events place={place} />
            : tab === "live" ? <LiveAtPeak place={place} />
              : tab === "held" && map ? <HeldTable place={map.id}
                of={ofPlace(place)} instants={instants()} />
                : tab === "leaks" ? <Leaks place={place} tables={tables} />
                  : <ByOperator place={place} />}
      </Card>
    </Page>
  );
}

export default function MemoryView() {
  const summary = useMemorySummary();
  const tables = useTables();
  const t = trace.value?.t;
  const maps = useAnswer("memory", t ? { t } : null);
  return (
    <Loaded whole what="Memory" load={summary}>
      {(doc) => doc.memory.length === 0
        ? <Message title="No memory events in this trace"
          text={"PyTorch and Paddle record them with profile_memory=True."} />
        : (
          <Loaded what="The columns" load={tables}>
            {(declared) => (
              <Loaded what="The allocations" load={maps}>
                {({ places }) => <Content doc={doc} tables={declared}
                  all={places} />}
              </Loaded>
            )}
          </Loaded>
        )}
    </Loaded>
  );
}

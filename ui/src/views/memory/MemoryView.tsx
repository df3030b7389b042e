// SPDX-License-Identifier: Apache-2.0
//
// Memory of a device over time, who allocated it, what is live at the peak,
// what may leak, and each allocation. A drag over the curve filters those.
import type {
  DeclaredTable, MemoryPlace, SummaryDoc,
} from "../../generated/answers.ts";
import { Curve } from "../../charts/Curve.tsx";
import { formatBytes, formatCount, formatTime } from "../../model/format.ts";
import { healthOf } from "../../model/health.ts";
import { explainedText, placeName } from "../../model/memory.ts";
import { shownPlace } from "../../model/overview.ts";
import { readRange } from "../../model/route.ts";
import type { Data } from "../../model/table.ts";
import { chosenSteps, useFlatTable, useRows, useSummary, useTables }
  from "../../state/documents.ts";
import { showOnTimeline, showRange } from "../../state/locate.ts";
import { route, setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { Message } from "../../shell/Messages.tsx";
import { Card, Loaded, Page, Segments } from "../parts.tsx";
import { groupName, memoryTracks, useMemoryCurve } from "./curve.ts";

type Tab = "" | "events" | "live" | "leaks";

/** A row's event is the one that took most of this place. */
const showOwner = (place: MemoryPlace) => (data: Data, row: number) =>
  void showOnTimeline("memory", String(data.cell(row, 0)),
    { place: place.place });

function ByOperator({ place }: { place: MemoryPlace }) {
  const load = useFlatTable("memory_owners",
    { place: place.place, ...range() });
  return (
    <Loaded what="Memory by operator" load={load}>
      {(data) => (
        <Table label="Memory by operator" data={data}
          onShow={showOwner(place)}
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
    { place: place.place, ...range() });
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
              onShow={showOwner(place)}
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
    { place: place.place, ...range() });
  return (
    <Loaded what="Allocations" load={load}>
      {(data) => (
        <Table label="Allocations" data={data} prefix="ev."
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

function PlaceCurve({ place }: { place: MemoryPlace }) {
  const tracks = memoryTracks(place.place);
  const curve = useMemoryCurve(tracks, 1200);
  const chosen = range();
  return (
    <Card title={placeName(place.place)} detail={
      `peak ${formatBytes(place.peak_allocated_bytes)} allocated` +
      (place.peak_reserved_bytes
        ? `, ${formatBytes(place.peak_reserved_bytes)} reserved` : "")}
    actions={chosen["t0"] && (
      <button class="link" onClick={() => {
        setMore("mfrom", "");
        setMore("mto", "");
      }}>{formatTime(Number(chosen["t0"]))} –{" "}
        {formatTime(Number(chosen["t1"]))}: show all</button>
    )}>
      {!tracks.allocated
        ? <p class="nothing">This place has no curve in the trace.</p>
        : curve && (
          <Curve label={`Memory on ${placeName(place.place)} over time`}
            times={curve.times} series={curve.series} height={210}
            onSelect={(from, to) => {
              setMore("mfrom", String(Math.round(from)));
              setMore("mto", String(Math.round(to)));
              // What grows in every step is not of one time.
              if (route.value.more["tab"] === "leaks")
                setMore("tab", "events");
            }} />
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
    </Card>
  );
}

function Content({ doc, tables }: {
  doc: SummaryDoc; tables: DeclaredTable[];
}) {
  const place = shownPlace(doc.memory, route.value.more["place"])!;
  const tab = (route.value.more["tab"] ?? "") as Tab;
  return (
    <Page title="Memory" fill detail={"Allocations as the allocator stated " +
      "them"} actions={
      doc.memory.length > 1 && <Segments label="Place" value={place.place}
        options={doc.memory.map((one) =>
          ({ value: one.place, text: placeName(one.place) }))}
        onPick={(value) => setMore("place", value)} />
    }>
      <PlaceCurve place={place} />
      <Card class="table-card">
        <div class="tabs">
          <Segments label="Table" value={tab} options={[
            { value: "", text: "By operator" },
            { value: "events", text: "Allocations" },
            { value: "live", text: "Live at the peak" },
            { value: "leaks", text: `Leak candidates (${
              place.leak_candidates.length})` },
          ]} onPick={(value) => setMore("tab", value)} />
        </div>
        {tab === "events" ? <Events place={place} />
          : tab === "live" ? <LiveAtPeak place={place} />
            : tab === "leaks" ? <Leaks place={place} tables={tables} />
              : <ByOperator place={place} />}
      </Card>
    </Page>
  );
}

export default function MemoryView() {
  const summary = useSummary();
  const tables = useTables();
  return (
    <Loaded whole what="Memory" load={summary}>
      {(doc) => doc.memory.length === 0
        ? <Message title="No memory events in this trace"
          text="Record with profile_memory=True." />
        : (
          <Loaded what="The columns" load={tables}>
            {(declared) => <Content doc={doc} tables={declared} />}
          </Loaded>
        )}
    </Loaded>
  );
}

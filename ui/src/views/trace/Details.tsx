// SPDX-License-Identifier: Apache-2.0
//
// The selected event in three columns: itself, what launched it (or what it
// is inside of), all calls of its name.
import type {
  EventInfo, EventRef, NamedTime,
} from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { CLASSES } from "../../generated/looks.ts";
import { countOf, formatTime } from "../../model/format.ts";
import { rankOfGroup } from "../../model/layout.ts";
import { shortName } from "../../model/names.ts";
import { lookOf } from "../../model/palette.ts";
import { leftOut } from "../../model/shown.ts";
import { navigate } from "../../state/route.ts";
import { isPreview, trace } from "../../state/trace.ts";
import { Icon } from "../../shell/icons.tsx";
import { RankMark } from "../../table/looks.tsx";
import type { Controller } from "./controller.ts";
import { IterationFact } from "./IterationFact.tsx";
import { SameNameColumn } from "./SameName.tsx";
import * as s from "./store.ts";

/** A square of the event's class. */
export const ClassSwatch = ({ name = "" }: { name: string | undefined }) =>
  <Swatch hue={lookOf(CLASSES, name).hue} />;

/** Room of a fact in letters; a longer one has the row for itself. */
const NARROW = 30;
function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div class={value.length > NARROW ? "wide" : ""}>
      <dt>{label}</dt><dd title={value}>{value}</dd></div>
  );
}

function startText(event: EventInfo): Parameters<typeof Fact>[0] {
  return event.step !== null && event.in_step !== null
    ? { label: `Start, in step ${event.step}`,
      value: "+" + formatTime(event.in_step) }
    : { label: "Start", value: formatTime(event.start) };
}

function trackText(event: EventRef): string {
  const info = trace.value?.info;
  const track = info?.tracks.find((one) => one.id === event.track);
  const group = info?.groups.find((one) => one.id === track?.group);
  return [track?.name, group?.name].filter(Boolean).join(", ");
}

/** The rank of its process, where the trace has several. */
function rankOf(event: EventRef): number | null {
  const info = trace.value?.info;
  const track = info?.tracks.find((one) => one.id === event.track);
  return rankOfGroup(info?.groups ?? []).get(track?.group ?? -1) ?? null;
}

function OwnColumn({ event, controller }: {
  event: EventInfo;
  controller: Controller | null;
}) {
  const short = shortName(event.name);
  const rank = rankOf(event);
  const isStream = trace.value?.info.tracks
    .find((one) => one.id === event.track)?.kind === "stream";
  return (
    <section aria-label="Event">
      <h2><ClassSwatch name={event.class} /><span class="mono">{short}</span>
        <em>{lookOf(CLASSES, event.class).title}</em></h2>
      {short !== event.name &&
        <p class="full mono" title={event.name}>{event.name}</p>}
      <dl class="facts">
        <Fact label="Duration" value={formatTime(event.dur)} />
        <Fact {...startText(event)} />
        {rank !== null && <div><dt>Rank</dt>
          <dd><RankMark rank={rank} /></dd></div>}
        <Fact label={isStream ? "Stream" : "Track"}
          value={trackText(event)} />
        {event.children > 0 &&
          <Fact label="Self" value={formatTime(event.self)} />}
        {event.gpu ? <Fact label="GPU work inside"
          value={formatTime(event.gpu)} /> : null}
        {event.launch?.delay !== null && event.launch?.delay !== undefined &&
          <Fact label="Launch to start"
            value={formatTime(event.launch.delay)} />}
        {event.idle_before !== null && isStream &&
          <Fact label="Idle before it"
            value={formatTime(event.idle_before)} />}
        {(event.facts ?? [])
          .filter((fact) => !isStream || fact.label !== "Stream")
          .map((fact) => <Fact key={fact.label} {...fact} />)}
        {event.iteration && <IterationFact of={event.iteration} />}
      </dl>
      {event.args.length > 0 && (
        <details>
          <summary>{countOf(event.args.length, "argument")}</summary>
          <dl class="args mono">
            {event.args.map(([key, value]) => (
              <div key={key}><dt>{key}</dt><dd>{typeof value === "string"
                ? value : JSON.stringify(value)}</dd></div>
            ))}
          </dl>
        </details>
      )}
      <div class="row">
        <button class="button" onClick={() => controller?.frame()}>
          Zoom <kbd>F</kbd></button>
        <button class="button" onClick={() => controller?.mark()}>
          Mark <kbd>M</kbd></button>
        <button class="button" onClick={() => controller?.clear()}>
          Clear <kbd>Esc</kbd></button>
      </div>
    </section>
  );
}

/** `siblings`: not one inside the other, but side by side. */
function Chain({ list, siblings, controller }: {
  list: NamedTime[];
  siblings: boolean;
  controller: Controller | null;
}) {
  return (
    <ol class="chain">
      {list.map((one, depth) => (
        <li key={one.row}
          style={{ paddingLeft:
            `${siblings ? 0 : Math.min(depth, 8) * 9}px` }}>
          <button onClick={() =>
            void controller?.select(one.row, { move: true })}>
            <ClassSwatch name={one.class} />
            <span class="mono" title={one.name}>{shortName(one.name)}</span>
            <span class="quiet">{formatTime(one.dur)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function LaunchColumn({ event, controller }: {
  event: EventInfo;
  controller: Controller | null;
}) {
  const { launch } = event;
  const out = [...event.launched, ...event.flows.filter((one) => one.out)];
  // The server names ancestors from the innermost; a chain reads from outside.
  const list = launch ? [...launch.ancestors.toReversed(), launch]
    : event.ancestors.length ? event.ancestors.toReversed()
      : out;
  const title = launch ? "Launched by"
    : event.ancestors.length ? "Called by" : out.length ? "Launched" : "";
  const target = launch ?? out[0];
  const missing = leftOut(event, s.arrowsShown.value);
  return (
    <section aria-label={title || "Links"}>
      <header>
        <h3>{title || "Nothing launched it"}</h3>
        {target && (
          <button class="link" onClick={() =>
            void controller?.select(target.row, { move: true })}>
            {launch ? "Go to launch" : "Go to what it launched"}
          </button>
        )}
        {trace.value?.info.tracks.some((one) => one.kind === "memory") && (
          <button class="link" onClick={() => navigate({ view: "memory",
            row: null, more: { tab: "held", at: String(event.start) } },
          true)}>Memory then</button>
        )}
      </header>
      {!title && <p class="quiet">No caller, launch or flow of this event is
        in the trace.</p>}
      <Chain list={list} siblings={list === out} controller={controller} />
      {missing && <p class="quiet">{missing}</p>}
    </section>
  );
}

/** Events have no details before the whole trace is there. */
function PreviewDetails() {
  const mark = s.previewMark.value;
  return (
    <div class="details empty" role="status">
      <Icon name="select" />
      <p>{mark ? (mark.events === 1
        ? `1 event, ${formatTime(mark.dur)}: ${shortName(mark.text)}. `
        : `${countOf(mark.events, "event")} in ${formatTime(mark.dur)}, ` +
          `mostly ${shortName(mark.text)}. `)
        : "Click a mark to see how many events it stands for. "}
      Details come with the exact picture.</p>
    </div>
  );
}

export function Details({ controller }: { controller: Controller | null }) {
  const now = s.selected.value;
  if (isPreview.value) return <PreviewDetails />;
  if (trace.value?.info.events === 0)
    return (
      <div class="details empty" role="status">
        <p>This trace has no events: nothing that could be recorded ran, or
          recording ended before it began. Choose another run above, or record
          again and let at least one step run.</p>
      </div>
    );
  if (!now)
    return (
      <div class="details empty" role="status">
        <Icon name="select" />
        <p>Click an event for its details. Drag a box to sum up what is
          inside. <kbd>?</kbd> lists the keys.</p>
      </div>
    );
  if (now.state === "failed")
    return (
      <div class="details empty" role="alert">
        <p>This event could not be read: {now.error}. Select another.</p>
      </div>
    );
  if (now.state === "loading")
    return <div class="details empty" role="status"><p>Loading</p></div>;
  const event = now.value;
  return (
    <div class="details" role="region" aria-label="Details">
      <OwnColumn event={event} controller={controller} />
      <LaunchColumn event={event} controller={controller} />
      <SameNameColumn event={event} controller={controller} />
    </div>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// The names of tracks at the left, with what can be done to them. Only rows
// that are seen are in the page.
import { effect, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { countOf, formatTime, formatValue } from "../../model/format.ts";
import { NAME_HEIGHT } from "../../model/density.ts";
import {
  rowsIn, TWO_LINES, type GroupRow, type TrackRow,
} from "../../model/layout.ts";
import { rankHue } from "../../model/job.ts";
import { withPlace } from "../../model/memory.ts";
import { cssVar } from "../../model/palette.ts";
import { toggled } from "../../model/settings.ts";
import { Icon, type IconName } from "../../shell/icons.tsx";
import { trace } from "../../state/trace.ts";
import { RULER_HEIGHT } from "../../worker/protocol.ts";
import { moveUp } from "./reorder.ts";
import * as s from "./store.ts";

/** "Process 12 (CPU)" needs no "pid 12" beside it. */
function detailBeside(name: string, detail: string): string {
  const pid = /\bpid (\d+)$/.exec(detail)?.[1];
  return pid && new RegExp(`\\b${pid}\\b`).test(name)
    ? detail.replace(/( · )?pid \d+$/, "") : detail;
}

function Group({ row }: { row: GroupRow }) {
  return (
    <div class="gutter-group"
      style={{ top: `${row.y + RULER_HEIGHT}px`, height: `${row.height}px` }}>
      <button aria-expanded={!row.folded} disabled={row.group < 0}
        title={`${row.name} ${row.detail}\n` +
          (row.folded ? "Open the group" : "Close the group")}
        onClick={() => s.changeSettings({ foldedGroups:
          toggled(s.settings.value.foldedGroups, row.group) })}>
        <Icon name={row.folded ? "right" : "down"} />
        <b>{row.name}</b>
        <span class="quiet">{detailBeside(row.name, row.detail)}</span>
      </button>
    </div>
  );
}

function Act({ icon, text, on, onClick }: {
  icon: IconName;
  text: string;
  on?: boolean;
  onClick: () => void;
}) {
  return (
    <button title={text} aria-label={text} aria-pressed={on}
      onClick={onClick}><Icon name={icon} /></button>
  );
}

function detailOf(row: TrackRow): string {
  const seen = s.seenValues.value[row.track];
  if (row.lanes === 0 && seen) {
    if (row.kind === "busy" || row.kind === "occupancy" ||
      row.kind === "queue") return row.detail ||
        `up to ${formatValue(seen.max, row.unit)}`;
    return seen.min === seen.max ? formatValue(seen.max, row.unit)
      : `${formatValue(seen.min, row.unit)} – ` +
        formatValue(seen.max, row.unit);
  }
  const events = trace.value?.info.tracks
    .find((track) => track.id === row.track)?.events ?? 0;
  const detail = row.detail.toLowerCase() === row.name.toLowerCase()
    ? "" : row.detail;
  const count = events ? countOf(events, "event") : "";
  const idle = row.kind === "stream" && trace.value?.info.idle_causes
    ? "why idle" : "";
  return [detail, count, idle].filter(Boolean).join(" · ");
}

/** By itself, because the values in view change with every frame. */
function Detail({ row }: { row: TrackRow }) {
  return <span class="quiet">{detailOf(row)}</span>;
}

function Track({ row }: { row: TrackRow }) {
  const { pinned, foldedTracks, hidden } = s.settings.value;
  const selected = s.selectedEvent.value?.track === row.track;
  const deep = row.lanes > 1 || row.folded;
  return (
    <div class={"gutter-track" + (row.height < TWO_LINES ? " low" : "") +
      (row.height < NAME_HEIGHT ? " thin" : "") +
      (selected ? " selected" : "")}
    style={{ top: `${row.y + RULER_HEIGHT}px`, height: `${row.height}px` }}>
      <div class="name" title={`${row.name} ${row.detail}`}>
        {row.rank != null && <i class="rank-mark" aria-hidden="true"
          style={{ background: cssVar(rankHue(row.rank)) }} />}
        <b>{withPlace(row.name)}</b>
        <Detail row={row} />
      </div>
      <div class="acts">
        {deep && <Act icon={row.folded ? "right" : "down"}
          text={row.folded ? "Open the track" : "Fold to one row"}
          onClick={() => s.changeSettings(
            { foldedTracks: toggled(foldedTracks, row.track) })} />}
        {!row.pinned && <Act icon="up" text="Move up"
          onClick={() => moveUp(row.track)} />}
        <Act icon="pin" text={row.pinned ? "Unpin" : "Pin to the top"}
          on={row.pinned} onClick={() => s.changeSettings(
            { pinned: toggled(pinned, row.track) })} />
        <Act icon="close" text="Hide the track"
          onClick={() => s.changeSettings({ hidden: [...hidden, row.track],
            pinned: pinned.filter((one) => one !== row.track) })} />
      </div>
    </div>
  );
}

/** Text that changes with every frame cannot be read, and costs a layout. */
const TEXT_MS = 120;

function InView() {
  const text = useSignal("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      const { t0, t1 } = s.range.peek();
      timer = undefined;
      text.value = `${formatTime(t1 - t0)} in view`;
    };
    write();
    const stop = effect(() => {
      void s.range.value;
      timer ??= setTimeout(write, TEXT_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return <div class="gutter-head">{text}</div>;
}

export function Gutter() {
  const layout = s.layout.value;
  const rows = rowsIn(layout, s.scroll.value - 200,
    s.plotSize.value.height + 400);
  return (
    <div class={`gutter ${s.density.value}`}
      style={{ height: `${layout.height + RULER_HEIGHT}px` }}>
      <InView />
      {rows.map((row) => row.type === "group"
        ? <Group key={`g${row.group}`} row={row} />
        : <Track key={`t${row.track}`} row={row} />)}
    </div>
  );
}

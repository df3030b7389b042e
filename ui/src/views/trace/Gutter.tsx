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
import { removeRowTrack } from "../../state/sql.ts";
import { trace } from "../../state/trace.ts";
import { RULER_HEIGHT } from "../../worker/protocol.ts";
import { dropLine, moveBy, startDrag } from "./reorder.ts";
import { onRowKey, rowStop } from "./row_focus.ts";
import type { Controller } from "./controller.ts";
import { toast } from "../../shell/Toast.tsx";
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
        {...rowStop(row)} onPointerDown={(event) => startDrag(event, row)}
        title={`${row.name} ${row.detail}\n` +
          (row.folded ? "Open the group" : "Close the group")}
        onClick={() => s.changeSettings({ foldedGroups:
          toggled(s.settings.value.foldedGroups, row.group) })}>
        <Icon name={row.folded ? "right" : "down"} />
        <b>{row.name}</b>
        <span class="quiet">{detailBeside(row.name, row.detail)}</span>
      </button>
      {row.group >= 0 && <div class="acts">
        <Act icon="move-up" text="Move up" of={row.name}
          onClick={() => moveBy(row, -1)} />
        <Act icon="move-down" text="Move down" of={row.name}
          onClick={() => moveBy(row, 1)} />
      </div>}
    </div>
  );
}

/** `of`: the name of its row, since every row has such a button. */
function Act({ icon, text, of, on, onClick }: {
  icon: IconName;
  text: string;
  of: string;
  on?: boolean;
  onClick: () => void;
}) {
  return (
    <button title={text} aria-label={`${text}: ${of}`} aria-pressed={on}
      tabIndex={-1} onClick={onClick}><Icon name={icon} /></button>
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
  const idle = row.strip > 0 && trace.value?.info.idle_causes
    ? "why idle" : "";
  return [detail, count, idle].filter(Boolean).join(" · ");
}

/** By itself, because the values in view change with every frame. */
function Detail({ row }: { row: TrackRow }) {
  return <span class="quiet">{detailOf(row)}</span>;
}

function hide(row: TrackRow): void {
  const before = s.settings.value;
  s.changeSettings({ hidden: [...before.hidden, row.track],
    pinned: before.pinned.filter((one) => one !== row.track) });
  toast(`${row.name} is hidden.`, { text: "Undo", run: () =>
    s.changeSettings({ hidden: before.hidden, pinned: before.pinned }) });
}

function TrackActs({ row }: { row: TrackRow }) {
  const { pinned, foldedTracks } = s.settings.value;
  const of = row.name;
  return (
    <div class="acts">
      {(row.lanes > 1 || row.folded) &&
        <Act of={of} icon={row.folded ? "right" : "down"}
          text={row.folded ? "Open the track" : "Fold to one row"}
          onClick={() => s.changeSettings(
            { foldedTracks: toggled(foldedTracks, row.track) })} />}
      <Act of={of} icon="move-up" text="Move up"
        onClick={() => moveBy(row, -1)} />
      <Act of={of} icon="move-down" text="Move down"
        onClick={() => moveBy(row, 1)} />
      <Act of={of} icon="pin" text={row.pinned ? "Unpin" : "Pin to the top"}
        on={row.pinned} onClick={() => s.changeSettings(
          { pinned: toggled(pinned, row.track) })} />
      <Act of={of} icon="close" text="Hide the track"
        onClick={() => hide(row)} />
    </div>
  );
}

/** Of the critical path: along its pieces. */
function PathActs({ controller }: { controller: Controller | null }) {
  const of = "critical path";
  return (
    <div class="acts always">
      <Act of={of} icon="left" text="Previous piece (,)"
        onClick={() => controller?.stepPath(-1)} />
      <Act of={of} icon="right" text="Next piece (.)"
        onClick={() => controller?.stepPath(1)} />
      <Act of={of} icon="normal" text="What it is made of"
        onClick={() => s.showPanel("path")} />
    </div>
  );
}

function Track({ row, controller }: {
  row: TrackRow;
  controller: Controller | null;
}) {
  const selected = s.selectedEvent.value?.track === row.track;
  const isPath = row.kind === "path";
  return (
    <div class={"gutter-track" + (row.height < TWO_LINES ? " low" : "") +
      (row.height < NAME_HEIGHT ? " thin" : "") +
      (selected ? " selected" : "")} role="group" aria-label={row.name}
    {...rowStop(row)}
    style={{ top: `${row.y + RULER_HEIGHT}px`, height: `${row.height}px` }}>
      <div class="name" title={`${row.name} ${row.detail}`}
        onPointerDown={row.group < 0 ? undefined
          : (event) => startDrag(event, row)}>
        {row.rank != null && <i class="rank-mark" aria-hidden="true"
          style={{ background: cssVar(rankHue(row.rank)) }} />}
        <b>{withPlace(row.name)}</b>
        <Detail row={row} />
      </div>
      {isPath ? <PathActs controller={controller} />
        : row.group >= 0 ? <TrackActs row={row} />
          : <div class="acts"><Act of={row.name} icon="close"
            text="Remove the track"
            onClick={() => removeRowTrack(row.group)} /></div>}
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
  return <span>{text}</span>;
}

/** All groups are one line each, or open. */
function FoldAll() {
  const groups = trace.value?.info.groups.map((group) => group.id) ?? [];
  const { foldedGroups } = s.settings.value;
  const open = groups.some((id) => !foldedGroups.includes(id));
  const text = open ? "Collapse all groups" : "Open all groups";
  return (
    <button class="fold-all" title={text} aria-label={text} onClick={() =>
      s.changeSettings({ foldedGroups: open ? groups : [] })}>
      <Icon name={open ? "collapse" : "expand"} />
    </button>
  );
}

export function Gutter({ controller }: { controller: Controller | null }) {
  const layout = s.layout.value;
  const rows = rowsIn(layout, s.scroll.value - 200,
    s.plotSize.value.height + 400);
  return (
    <div class={`gutter ${s.density.value}`} role="group" aria-label="Tracks"
      onKeyDown={onRowKey}
      style={{ height: `${layout.height + RULER_HEIGHT}px` }}>
      <div class="gutter-head"><InView /><FoldAll /></div>
      {rows.map((row) => row.type === "group"
        ? <Group key={`g${row.group}`} row={row} />
        : <Track key={`t${row.track}`} row={row} controller={controller} />)}
      {dropLine.value !== null && <div class="drop-line"
        style={{ top: `${dropLine.value + RULER_HEIGHT - 1}px` }} />}
    </div>
  );
}

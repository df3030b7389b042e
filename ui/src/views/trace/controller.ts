// SPDX-License-Identifier: Apache-2.0
//
// Moves the view and the selection. One instance lives as long as the trace
// view shows; the parts call it, keys and mouse call it.
import { batch, effect, untracked } from "@preact/signals";
import type {
  EventRef, FoundInfo, TraceInfo,
} from "../../generated/answers.ts";
import {
  clampRange, endOfEvents, firstRange, frameEvent, isOtherView, reveal,
  timeToX, wholeRange, zoomAt,
  type Range,
} from "../../model/axis.ts";
import type { Density } from "../../model/density.ts";
import type { Hit } from "../../model/hit.ts";
import {
  boxPlace, hasTiles, isSame, PATH_TRACK, rowAt, rowOfTrack, rowsIn,
} from "../../model/layout.ts";
import { clipName, shortName } from "../../model/names.ts";
import { toggled, type BoxSelection } from "../../model/settings.ts";
import { formatTime } from "../../model/format.ts";
import { api } from "../../state/api.ts";
import { errorText } from "../../state/load.ts";
import {
  arrivals, cameBack, catchUp, navigate, route, setMore,
} from "../../state/route.ts";
import { forgetFound, found } from "../../state/search.ts";
import { chosen } from "../../state/serving.ts";
import { rowTracks } from "../../state/sql.ts";
import { theme } from "../../state/theme.ts";
import { toast } from "../../shell/Toast.tsx";
import { isPreview, trace } from "../../state/trace.ts";
import { RULER_HEIGHT, type FromWorker } from "../../worker/protocol.ts";
import * as s from "./store.ts";
import { WorkerLink, type Canvases } from "./worker_link.ts";

/** The address follows the view when it has stood still for so long. */
const SETTLED_MS = 250;

/** Letters of a name in a mark, which has a time beside it. */
const MOST_OF_NAME = 44;

/** Whether a range is what is seen first. It may stop short of the whole. */
function isFirst({ t0, t1 }: Range,
  info: Pick<TraceInfo, "span_ns" | "events_end">): boolean {
  const first = firstRange(info);
  return endOfEvents(info) === null ? t0 <= first.t0 && t1 >= first.t1
    : Math.round(t0) === Math.round(first.t0) &&
      Math.round(t1) === Math.round(first.t1);
}

export class Controller {
  readonly link: WorkerLink;
  private readonly scroller: HTMLElement;
  private readonly stops: (() => void)[] = [];
  private settle = 0;
  private asked = new AbortController();
  /** The event whose details were asked for and have not come. */
  private awaited: number | null = null;
  /** What is to be done with it once they have. */
  private afterwards: (() => void)[] = [];

  constructor(canvases: Canvases, scroller: HTMLElement) {
    this.scroller = scroller;
    this.link = new WorkerLink(canvases, (message) => this.receive(message));
    const on = (run: () => void) => this.stops.push(effect(run));
    on(() => this.link.send({ type: "theme", theme: theme.value }));
    on(() => {
      const open = trace.value;
      if (!open) return;
      this.link.send({ type: "trace", t: open.t, info: open.info });
      untracked(() => this.followTrace(open.info));
    });
    on(() => this.link.send({ type: "layout", layout: s.layout.value }));
    on(() => this.sendView());
    on(() => this.sendOverlay());
    // By itself: it may be long, and the overlay changes while one drags.
    on(() => this.link.send({ type: "critical",
      segments: s.pathShown.value ? s.critical.value : [] }));
    on(() => this.link.send({ type: "spans",
      spans: rowTracks.value.flatMap((track) => track.spans) }));
    on(() => this.link.send({ type: "chosen", chosen: chosen.value }));
    on(() => {
      void arrivals.value;
      untracked(() => this.followAddress());
    });
    on(() => this.keepInSight(s.plotSize.value.height));
  }

  stop(): void {
    for (const stop of this.stops) stop();
    this.asked.abort();
    clearTimeout(this.settle);
    this.link.stop();
  }

  private seen: TraceInfo | null = null;

  /** The whole trace takes the place of its preview: the view stays. */
  private followTrace(info: TraceInfo): void {
    const before = this.seen;
    this.seen = info;
    if (!before?.preview || info.preview) return;
    s.previewMark.value = null;
    const { t0, t1 } = s.range.value;
    s.range.value = isFirst({ t0, t1 }, before) ? firstRange(info)
      : clampRange({ t0, t1 }, info.span_ns);
    const { row } = route.value;
    if (row !== null) void this.select(row);
  }

  /** A click into a preview: how many events are there. */
  async showMark(hit: Hit & { text: string }): Promise<void> {
    const t = trace.value?.t;
    if (!t) return;
    const start = Math.floor(hit.t0);
    const dur = Math.ceil(hit.t1) - start;
    try {
      const mark = await api.get("mark", { t, preview: 1,
        track: hit.track, depth: hit.depth, t0: start, t1: start + dur });
      if (isPreview.value)
        s.previewMark.value =
          { text: hit.text, events: mark.events, start, dur };
    } catch {
      // The whole trace is there now; a click into it says more.
    }
  }

  get span(): number {
    return trace.value?.info.span_ns ?? 1;
  }

  private rangeOfAddress(): Range {
    const { from, to } = route.value;
    return from !== null && to !== null
      ? clampRange({ t0: from, t1: to }, this.span)
      : firstRange(trace.value?.info ?? { span_ns: 1 });
  }

  /** The range and the selection that the address names. */
  private followAddress(): void {
    const { from, row } = route.value;
    clearTimeout(this.settle);
    s.measure.value = null;
    if (found.value?.query !== route.value.query) forgetFound();
    s.range.value = this.rangeOfAddress();
    // A link to an event alone leads to it; who goes back saw this range.
    if (row !== null)
      void this.select(row, { move: from === null && !cameBack, scroll: true });
    else if (s.selected.value) this.deselect();
  }

  /** Details that are on their way are no longer wanted. */
  private giveUp(): void {
    this.asked.abort();
    this.awaited = null;
    this.afterwards = [];
  }
  /**
   * A key that follows a click or a search at once means the event that is on
   * its way, not the one before it.
   */
  private withSelected(run: () => void): void {
    if (this.awaited === null) run();
    else this.afterwards.push(run);
  }
  private arrived(): void {
    const waiting = this.afterwards;
    this.giveUp();
    for (const run of waiting) this.withSelected(run);
  }
  private deselect(): void {
    this.giveUp();
    s.selected.value = null;
  }

  private sendView(): void {
    const { width, height } = s.plotSize.value;
    this.link.send({ type: "view", view: {
      ...s.range.value, width, height, scroll: s.scroll.value,
      ratio: devicePixelRatio || 1,
    } });
  }

  private sendOverlay(): void {
    const event = s.selectedEvent.value;
    const box = s.dragged.value ?? this.boxRect();
    const piece = s.path.value[s.pathAt.value ?? -1];
    this.link.send({ type: "overlay", overlay: {
      selected: event && s.placeOf(event),
      arrows: s.arrows.value, marks: s.marks.value,
      measure: s.measure.value, box,
      piece: piece ? { track: PATH_TRACK, depth: 0, start: piece.start,
        dur: piece.dur } : null,
      name: s.highlighted.value,
      cursor: null,
    } });
  }

  private boxRect() {
    const box = s.box.value;
    if (!box) return null;
    const rows = s.layout.value.rows.filter((row) =>
      row.type === "track" && box.tracks.includes(row.track));
    if (rows.length === 0) return null;
    const last = rows[rows.length - 1]!;
    return { t0: box.t0, t1: box.t1, y0: rows[0]!.y,
      y1: last.y + last.height };
  }

  private receive(message: FromWorker): void {
    if (message.type === "ranges")
      s.seenValues.value = { ...s.seenValues.value, ...message.ranges };
    else if (message.type === "state")
      s.problem.value = message.error
        ? { error: message.error, status: message.status } : null;
    else if (message.type === "renderer") s.renderer.value = message.name;
  }

  setRange(next: Range): void {
    s.range.value = clampRange(next, this.span);
    s.hover.value = null;
    clearTimeout(this.settle);
    this.settle = window.setTimeout(() => {
      catchUp();
      const { t0, t1 } = s.range.value;
      const first = isFirst({ t0, t1 }, trace.value?.info ?? { span_ns: 1 });
      navigate(first ? { from: null, to: null }
        : { from: Math.round(t0), to: Math.round(t1) },
      isOtherView(this.rangeOfAddress(), s.range.value));
    }, SETTLED_MS);
  }
  zoom(factor: number, anchor?: number): void {
    const { t0, t1 } = s.range.value;
    this.setRange(zoomAt(s.range.value, factor, anchor ?? (t0 + t1) / 2,
      this.span));
  }
  pan(share: number): void {
    const { t0, t1 } = s.range.value;
    const by = (t1 - t0) * share;
    this.setRange({ t0: t0 + by, t1: t1 + by });
  }
  scrollTo(top: number): void {
    this.scroller.scrollTop = top;
  }

  /** Other rows; what was at the middle of the screen stays there. */
  setDensity(next: Density): void {
    const half = s.plotSize.value.height / 2;
    const middle = s.scroll.value + half;
    const row = rowAt(s.layout.value, middle);
    s.setDensity(next);
    const event = s.selectedEvent.value;
    if (event) return this.revealRow(event);
    const moved = row && s.layout.value.rows.find((one) => isSame(one, row));
    // The page is as high as its rows after the next frame only.
    if (moved)
      requestAnimationFrame(() =>
        this.scrollTo(moved.y + moved.height / 2 - half));
  }

  /** A box takes the place of a selected event, also in the address. */
  selectBox(box: BoxSelection | null): void {
    batch(() => {
      this.deselect();
      s.setBox(box);
      setMore("same", "");
      navigate({ row: null });
    });
  }

  /** Shows and selects an event; `row` null: nothing. */
  async select(row: number | null,
    options: { move?: boolean; scroll?: boolean } = {}): Promise<void> {
    this.giveUp();
    if (row === null) return this.selectBox(null);
    const stop = (this.asked = new AbortController()).signal;
    const t = trace.value?.t;
    if (!t || isPreview.value) return;
    if (!s.selectedEvent.value) s.selected.value = { state: "loading" };
    this.awaited = row;
    try {
      const event = await api.get("event", { t, row }, stop);
      catchUp();
      if (stop.aborted) return;
      batch(() => {
        s.selected.value = { state: "ready", value: event };
        if (s.path.value[s.pathAt.value ?? -1]?.row !== row)
          s.pathAt.value = null;
        s.setBox(null);
        s.measure.value = null;
        navigate({ row });
        if (s.highlighted.value === null) setMore("same", "");
      });
      if (options.move) this.reveal(event);
      else if (options.scroll) this.revealRow(event);
      this.arrived();
    } catch (error) {
      if (stop.aborted) return;
      this.giveUp();
      s.selected.value = { state: "failed", error: errorText(error) };
    }
  }

  /** Moves the view, if it must, so that an event is seen. */
  reveal(event: EventRef): void {
    this.setRange(
      reveal(s.range.value, event.start, event.dur, this.span));
    this.revealRow(event);
  }
  private revealRow(event: EventRef): void {
    if (rowOfTrack(s.layout.value, event.track)) {
      const y = this.hiddenAt(event, s.plotSize.value.height);
      if (y !== null) this.scrollTo(y);
      return;
    }
    const info = trace.value?.info;
    const track = info?.tracks.find((one) => one.id === event.track);
    if (!track) return;
    const { foldedGroups } = s.settings.value;
    if (foldedGroups.includes(track.group))
      s.changeSettings({ foldedGroups: toggled(foldedGroups, track.group) });
    if (!rowOfTrack(s.layout.value, event.track))
      return toast(`This event is on a hidden track, ${track.name}. ` +
        "Tracks, in the toolbar, brings it back.");
    // The page is as high as its rows after the next frame only.
    requestAnimationFrame(() => this.revealRow(event));
  }

  /** Where to scroll to for an event that is out of sight, else null. */
  private hiddenAt(event: EventRef, plotHeight: number): number | null {
    const row = rowOfTrack(s.layout.value, event.track);
    if (!row) return null;
    const { y, height } = boxPlace(row, event.depth ?? 0);
    const room = plotHeight - RULER_HEIGHT;
    const top = s.scroll.peek();
    return y < top + 8 || y + height > top + room - 8
      ? Math.max(0, y - room / 3) : null;
  }

  private height = 0;
  /** The details open below the tracks: what was seen is not to go. */
  private keepInSight(height: number): void {
    const before = this.height;
    this.height = height;
    untracked(() => {
      const event = s.selectedEvent.value;
      if (event && height < before && this.hiddenAt(event, before) === null)
        this.revealRow(event);
    });
  }

  /** Where the selected event is drawn, from the plot's top left. */
  selectedRect() {
    const event = s.selectedEvent.value;
    const row = event && rowOfTrack(s.layout.value, event.track);
    if (!event || !row) return null;
    const { width } = s.plotSize.value;
    const { y, height } = boxPlace(row, event.depth);
    const x0 = timeToX(s.range.value, width, event.start);
    const x1 = timeToX(s.range.value, width, event.start + event.dur);
    return { x: x0, y: y - s.scroll.value + RULER_HEIGHT, width: x1 - x0,
      height };
  }

  showFound(found: FoundInfo): Promise<void> {
    return this.select(found.row, { move: true });
  }

  /** f: what is measured, the selection or the box; else the whole. */
  frame(): void {
    this.withSelected(() => this.frameSelected());
  }
  private frameSelected(): void {
    const event = s.selectedEvent.value;
    const box = s.measure.value ?? s.box.value;
    if (event && !s.measure.value)
      this.setRange(frameEvent(event.start, event.dur, this.span));
    else if (box) this.setRange({ t0: box.t0, t1: box.t1 });
    else this.showWhole();
  }
  /** All events; again: with what was recorded after them. */
  showWhole(): void {
    const info = trace.value?.info;
    if (!info) return;
    this.setRange(isFirst(s.range.value, info) ? wholeRange(info.span_ns)
      : firstRange(info));
  }

  /** m: marks what is measured, the selection or the box; again: no more. */
  mark(): void {
    this.withSelected(() => this.markSelected());
  }
  private markSelected(): void {
    const event = s.selectedEvent.value;
    const measured = s.measure.value ?? s.box.value;
    if (!event && !measured) return;
    const next = event && !s.measure.value
      ? { t0: event.start, t1: event.start + event.dur,
        text: `${clipName(shortName(event.name), MOST_OF_NAME)} ` +
          formatTime(event.dur) }
      : { t0: measured!.t0, t1: measured!.t1,
        text: formatTime(measured!.t1 - measured!.t0) };
    const same = s.marks.value.filter((one) =>
      Math.round(one.t0) === Math.round(next.t0) &&
      Math.round(one.t1) === Math.round(next.t1));
    s.setMarks(same.length
      ? s.marks.value.filter((one) => !same.includes(one))
      : [...s.marks.value, next]);
  }

  /** All events of the selected one's name stand out, or no longer. */
  highlight(on = true): void {
    if (!on) return setMore("same", "");
    this.withSelected(() =>
      setMore("same", String(s.selectedEvent.value?.name_id ?? "")));
  }

  /** ] and [: to the other end of an arrow; false when there is none. */
  followArrow(back: boolean): boolean {
    const event = s.selectedEvent.value;
    if (!event) return false;
    const inward = [...(event.launch ? [event.launch] : []),
      ...event.flows.filter((flow) => !flow.out)];
    const outward = [...event.launched,
      ...event.flows.filter((flow) => flow.out)];
    const target = back ? inward[0] ?? outward[0]
      : outward[0] ?? inward[0];
    if (!target) return false;
    void this.select(target.row, { move: true });
    return true;
  }

  /** Arrow keys: along the row, to the caller, to the first call inside. */
  step(to: "previous" | "next" | "parent" | "first_child"): void {
    // A key that is held down comes again before the answer: asking anew each
    // time would never get one from a server that is far away, and doing all
    // of them later would go on long after the key was let go.
    this.afterwards = [];
    this.withSelected(() => {
      const row = s.selectedEvent.value?.[to];
      if (row !== null && row !== undefined)
        void this.select(row, { move: true });
    });
  }

  /** Arrow keys without a selection: the first event that is seen. */
  async selectFirst(): Promise<void> {
    const { height } = s.plotSize.value;
    for (const row of rowsIn(s.layout.value, s.scroll.value,
      height - RULER_HEIGHT)) {
      if (row.type !== "track" || !hasTiles(row.kind)) continue;
      const [first] = await this.link.list(row.track, 1);
      if (first) return this.select(first.row);
    }
  }

  /** Along the pieces of the critical path; false where none is shown. */
  stepPath(by: 1 | -1): boolean {
    const path = s.path.value;
    if (!s.pathShown.value || path.length === 0) return false;
    const { t0 } = s.range.value;
    const next = s.pathAt.value === null
      ? Math.max(0, path.findIndex((one) => one.start + one.dur > t0))
      : s.pathAt.value + by;
    if (path[next]) this.showPiece(next);
    return true;
  }
  showPiece(at: number): void {
    const piece = s.path.value[at];
    if (!piece) return;
    s.pathAt.value = at;
    if (piece.row !== null) return void this.select(piece.row, { move: true });
    if (s.selected.value) this.selectBox(null);
    this.setRange(reveal(s.range.value, piece.start, piece.dur, this.span));
  }

  /** A note at a time, whose text is typed in the list of notes. */
  addNote(time?: number): void {
    const { t0, t1 } = s.range.value;
    const at = Math.round(Math.min(this.span, Math.max(0,
      time ?? (t0 + t1) / 2)));
    s.setMarks([...s.marks.value, { t0: at, t1: at, text: "Note" }]);
    s.showPanel("marks");
    s.freshMark.value = s.marks.value.length - 1;
  }

  /** A marked time; a note is a moment in what is around it. */
  showMarked({ t0, t1 }: Range): void {
    if (t1 > t0) return this.setRange(frameEvent(t0, t1 - t0, this.span));
    const half = (s.range.value.t1 - s.range.value.t0) / 2;
    this.setRange({ t0: t0 - half, t1: t0 + half });
  }

  clear(): void {
    s.pathAt.value = null;
    s.measure.value = null;
    s.dragged.value = null;
    void this.select(null);
  }
}

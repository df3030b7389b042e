// SPDX-License-Identifier: Apache-2.0
//
// What the trace view's parts share: the mode, the selection, what is hovered,
// measured and marked. What a link should carry is derived from the route.
import { batch, computed, signal } from "@preact/signals";
import type {
  CriticalSegment, EventInfo, EventRef, SelectInfo,
} from "../../generated/answers.ts";
import type { Range } from "../../model/axis.ts";
import { isDensity, type Density } from "../../model/density.ts";
import {
  layoutOf, pathTrack, rowTrack, withIterations, withStages, type Settings,
} from "../../model/layout.ts";
import {
  formatBox, formatMarks, formatSettings, parseBox, parseMarks,
  parseSettings, type BoxSelection, type Mark,
} from "../../model/settings.ts";
import { someOf } from "../../model/shown.ts";
import { keepDensity, keptDensity } from "../../state/density.ts";
import type { Load } from "../../state/load.ts";
import { navigate, route, setMore } from "../../state/route.ts";
import { serves } from "../../state/serving.ts";
import { rowTracks } from "../../state/sql.ts";
import { trace } from "../../state/trace.ts";
import type { Arrow, HitAnswer, Place } from "../../worker/protocol.ts";

export type Mode = "select" | "pan" | "zoom" | "measure";
export const MODES: Mode[] = ["select", "pan", "zoom", "measure"];
export const mode = signal<Mode>("select");

/** The time that is seen. Changes at most once a frame. */
export const range = signal<Range>({ t0: 0, t1: 1 });
export const scroll = signal(0);
export const plotSize = signal({ width: 0, height: 0 });

export const settings = computed<Settings>(() =>
  parseSettings(route.value.more));
export function changeSettings(change: Partial<Settings>): void {
  const next = formatSettings({ ...settings.value, ...change });
  const more = { ...route.value.more };
  for (const [key, value] of Object.entries(next)) {
    if (value === "") delete more[key];
    else more[key] = value;
  }
  navigate({ more });
}
/** The address wins; without a word there it is as it was left last. */
export const density = computed<Density>(() => {
  const wanted = route.value.more["rows"];
  return isDensity(wanted) ? wanted : keptDensity.value;
});
export function setDensity(next: Density): void {
  batch(() => {
    keepDensity(next);
    setMore("rows", next);
  });
}

export const pathShown = computed(() => route.value.more["path"] === "1");
export const critical = signal<CriticalSegment[]>([]);
/** Its pieces in the order of time, and which of them is looked at. */
export const path = computed(() =>
  critical.value.toSorted((a, b) => a.start - b.start));
export const pathAt = signal<number | null>(null);

const settingsKey = computed(() =>
  JSON.stringify(formatSettings(settings.value)));
/** By the settings' text: the address also changes with every selection. */
export const layout = computed(() => {
  void settingsKey.value;
  const info = trace.value?.info;
  if (!info) return { rows: [], height: 0 };
  const tracks = withIterations(
    withStages(info.tracks, info.stages ?? []), serves.value);
  const pieces = pathShown.value ? critical.value.length : 0;
  const own = rowTracks.value.map(({ group, name, spans }) =>
    rowTrack(group, name, spans.length));
  return layoutOf(info.groups, [
    ...(pieces > 0 ? [pathTrack(pieces)] : []), ...own, ...tracks],
  settings.peek(), density.value);
});

export const selected = signal<Load<EventInfo> | null>(null);
export const selectedEvent = computed(() =>
  selected.value?.state === "ready" ? selected.value.value : null);

/** What was clicked on in a preview, and how much it stands for. */
interface PreviewMark {
  text: string;
  events: number;
  start: number;
  dur: number;
}
export const previewMark = signal<PreviewMark | null>(null);

export const marks = computed(() => parseMarks(route.value.more["marks"]));
/** The note that was just put there: its text is to be typed. */
export const freshMark = signal<number | null>(null);
export const setMarks = (list: Mark[]) => setMore("marks", formatMarks(list));
export const box = computed(() => parseBox(route.value.more["box"]));
export const setBox = (next: BoxSelection | null) =>
  setMore("box", formatBox(next));
export const boxAnswer = signal<Load<SelectInfo> | null>(null);

/** What is listed at the right of the tracks. */
export type Panel = "" | "hits" | "marks" | "path";
export const panel = computed<Panel>(() => {
  const wanted = route.value.more["panel"];
  return wanted === "hits" && route.value.query !== "" ||
    wanted === "marks" || wanted === "path" && pathShown.value ? wanted : "";
});
export const showPanel = (next: Panel) => setMore("panel", next);

export const measure = signal<Range | null>(null);
/** A box that is being dragged, in the coordinates of the rows. */
export const dragged = signal<
  { t0: number; t1: number; y0: number; y1: number } | null>(null);

/**
 * The id of the name whose events stand out: the selected one's, if the
 * address says so; null: none.
 */
export const highlighted = computed(() => {
  const id = selectedEvent.value?.name_id;
  return id !== undefined && route.value.more["same"] === String(id)
    ? id : null;
});

export const arrowsShown = computed(() => route.value.more["arrows"] !== "0");

interface Hover {
  x: number;
  y: number;
  answer: HitAnswer;
}
export const hover = signal<Hover | null>(null);
/** Values of a counter that are seen, by track. */
export const seenValues = signal<Record<number, { min: number;
  max: number; }>>({});
export const problem = signal<{ error: string; status: number } | null>(null);
export const renderer = signal<"gl" | "scan" | "">("");

export function placeOf(event: EventRef): Place {
  return { track: event.track, start: event.start, dur: event.dur,
    depth: event.depth ?? 0 };
}

export const arrows = computed<Arrow[]>(() => {
  const event = selectedEvent.value;
  if (!event || !arrowsShown.value) return [];
  const own = placeOf(event);
  const list: Arrow[] = [];
  if (event.launch) list.push({ from: placeOf(event.launch), to: own });
  for (const other of someOf(event.launched))
    list.push({ from: own, to: placeOf(other) });
  for (const flow of someOf(event.flows))
    list.push(flow.out ? { from: own, to: placeOf(flow) }
      : { from: placeOf(flow), to: own });
  return list;
});

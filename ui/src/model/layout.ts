// SPDX-License-Identifier: Apache-2.0
//
// Where tracks stand: groups with their tracks, pinned ones first, folded
// ones one lane high, filtered ones gone. Pure.
import type {
  GroupInfo, ServesInfo, StageInfo, TrackInfo, TrackKind,
} from "../generated/answers.ts";
import {
  groupHeight, isSeries, shapeOf, stripOffset, type Density, type Shape,
} from "./density.ts";

import { reordered, type Move } from "./order.ts";

export { isSeries };

export interface Settings {
  /** Tracks at the top, in this order. */
  pinned: number[];
  foldedGroups: number[];
  foldedTracks: number[];
  hidden: number[];
  /** Shown tracks have this in their name, detail or group; "": all. */
  filter: string;
  /** Tracks that were moved, each inside its group, and groups. */
  moved: Move[];
  movedGroups: Move[];
}
export const noSettings: Settings = {
  pinned: [], foldedGroups: [], foldedTracks: [], hidden: [], filter: "",
  moved: [], movedGroups: [],
};

export interface GroupRow {
  type: "group";
  group: number;
  name: string;
  detail: string;
  folded: boolean;
  y: number;
  height: number;
}
export interface TrackRow extends Shape {
  type: "track";
  track: number;
  group: number;
  kind: TrackKind;
  /** Where a trace has several. */
  rank?: number | null;
  name: string;
  detail: string;
  unit: string;
  pinned: boolean;
  folded: boolean;
  y: number;
}
export type Row = GroupRow | TrackRow;
export interface Layout {
  rows: Row[];
  height: number;
}

/** Text of two lines fits in the gutter from this height. */
export const TWO_LINES = 38;

/** Tracks whose boxes come from tiles; stages come with the trace. */
export const hasTiles = (kind: TrackKind) => !isSeries(kind) &&
  kind !== "stage" && kind !== "iterations" && kind !== "path";

/** Ids of the tracks of stages: beyond those of the server. */
const FIRST_STAGE_TRACK = 500_000_000;
export const stageTrackOf = (group: number) => FIRST_STAGE_TRACK + group;

/** The server's tracks and, on top of its group, one for the stages. */
export function withStages(tracks: TrackInfo[], stages: StageInfo[])
  : TrackInfo[] {
  const counts = new Map<number, number>();
  for (const { group } of stages)
    if (group !== null) counts.set(group, (counts.get(group) ?? 0) + 1);
  const own = [...counts].map(([group, events]): TrackInfo => ({
    id: stageTrackOf(group), group, kind: "stage", name: "Stages",
    detail: "", events, depth: 1 }));
  return [...own, ...tracks];
}

/** A track for the iterations of each group that has any, above its stages. */
const FIRST_ITERATION_TRACK = 600_000_000;
export const groupOfIterations = (track: number) =>
  track - FIRST_ITERATION_TRACK;
export function withIterations(tracks: TrackInfo[],
  serves: ServesInfo | null | undefined): TrackInfo[] {
  const own = (serves?.groups ?? []).map((group): TrackInfo => ({
    id: FIRST_ITERATION_TRACK + group, group, kind: "iterations",
    name: "Iterations", detail: serves?.concluded ? "concluded, not marked"
      : "of the server", events: 0, depth: 1 }));
  return [...own, ...tracks];
}

const PINNED_GROUP = -1;

/** The critical path as a track of its own, above all groups. */
export const PATH_TRACK = 400_000_000;
export const pathTrack = (pieces: number): TrackInfo => ({ id: PATH_TRACK,
  group: -2, kind: "path", name: "Critical path", detail: "",
  events: pieces, depth: 1 });

/** Rows of a query as a track; `group` is below zero, for no group has it. */
export const rowTrack = (group: number, name: string, rows: number)
  : TrackInfo => ({ id: stageTrackOf(group), group, kind: "stage", name,
  detail: "rows of a query", events: rows, depth: 1 });

/** Whether a track has all words of a filter, by itself or in its group. */
export function filterOf(filter: string)
  : (track: TrackInfo, group: GroupInfo | undefined) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return (track, group) => {
    const text = [track.name, track.detail, group?.name, group?.detail]
      .join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** Whether a trace has several ranks. */
export const hasRanks = (groups: GroupInfo[]) => rankOfGroup(groups).size > 0;

/** The ranks of groups; nothing where there are not several. */
export function rankOfGroup(groups: GroupInfo[]): Map<number, number> {
  const stated = groups.flatMap(({ id, rank }): [number, number][] =>
    rank == null ? [] : [[id, rank]]);
  return new Map(new Set(stated.map(([, rank]) => rank)).size > 1 ? stated
    : []);
}

export function layoutOf(groups: GroupInfo[], tracks: TrackInfo[],
  settings: Settings, density: Density = "normal"): Layout {
  const rows: Row[] = [];
  let y = 0;
  const matches = filterOf(settings.filter);
  const pinned = new Set(settings.pinned);
  const hidden = new Set(settings.hidden);
  const folded = new Set(settings.foldedTracks);
  const ranks = rankOfGroup(groups);
  // Why a device is idle is of all its streams: the first has the strip.
  const stripped = new Set<number>();
  const put = (track: TrackInfo, away = false) => {
    const rank = ranks.get(track.group) ?? null;
    const isFolded = folded.has(track.id);
    const strip = track.kind === "stream" && !stripped.has(track.group);
    if (strip) stripped.add(track.group);
    const row: TrackRow = {
      type: "track", track: track.id, group: track.group, kind: track.kind,
      rank,
      // Away from its group, whose name says the rank.
      name: away && rank !== null ? `Rank ${rank} · ${track.name}` : track.name,
      detail: track.detail, unit: track.unit ?? "",
      pinned: pinned.has(track.id), folded: isFolded, y,
      ...shapeOf(track, isFolded, density, strip),
    };
    rows.push(row);
    y += row.height;
  };
  const head = (group: number, name: string, detail: string,
    isFolded: boolean) => {
    rows.push({ type: "group", group, name, detail, folded: isFolded, y,
      height: groupHeight(density) });
    y += groupHeight(density);
  };
  tracks.filter((track) => track.group < 0).forEach((track) => put(track));
  const byId = new Map(tracks.map((track) => [track.id, track]));
  const top = settings.pinned.filter((id) => !hidden.has(id))
    .map((id) => byId.get(id)).filter((track) => track !== undefined);
  if (top.length) {
    head(PINNED_GROUP, "Pinned", "", false);
    top.forEach((track) => put(track, true));
  }
  for (const group of reordered(groups, settings.movedGroups)) {
    const own = tracks.filter((track) => track.group === group.id &&
      !pinned.has(track.id) && !hidden.has(track.id) &&
      matches(track, group));
    if (own.length === 0) continue;
    const isFolded = settings.foldedGroups.includes(group.id);
    head(group.id, group.name, group.detail, isFolded);
    if (!isFolded)
      reordered(own, settings.moved).forEach((track) => put(track));
  }
  return { rows, height: y };
}

/** True for rows of two layouts that show one thing. */
export const isSame = (a: Row, b: Row) => a.type === "group"
  ? b.type === "group" && a.group === b.group
  : b.type === "track" && a.track === b.track;

/** The row at a height, by binary search. */
export function rowAt(layout: Layout, y: number): Row | null {
  let low = 0;
  let high = layout.rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const row = layout.rows[middle]!;
    if (y < row.y) high = middle - 1;
    else if (y >= row.y + row.height) low = middle + 1;
    else return row;
  }
  return null;
}

/** The lane of a track's row at a height, or -1 between lanes. */
export function laneAt(row: TrackRow, y: number): number {
  if (row.lanes === 0) return -1;
  const lane = Math.floor((y - row.y - row.top) / row.laneHeight);
  return lane < 0 || lane >= row.lanes ? -1 : lane;
}

/** The rows that are seen: a few of many, found by binary search. */
export function rowsIn(layout: Layout, top: number, height: number): Row[] {
  const { rows } = layout;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.y + rows[middle]!.height <= top) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < rows.length && rows[end]!.y < top + height) end++;
  return rows.slice(low, end);
}

/** Where a stream's why-idle strip is, from the top of all rows. */
export const stripTop = (row: TrackRow) =>
  row.y + stripOffset(row.top, row.lanes, row.laneHeight);

/** A box's place: top and height. A lane that is folded away is lane 0. */
export function boxPlace(row: TrackRow, depth: number)
  : { y: number; height: number } {
  const lane = Math.min(depth, Math.max(0, row.lanes - 1));
  return { y: row.y + row.top + lane * row.laneHeight,
    height: row.boxHeight };
}

/** Made once for a layout, which is never changed. */
const rowsByTrack = new WeakMap<Layout, Map<number, TrackRow>>();

export function rowOfTrack(layout: Layout, track: number): TrackRow | null {
  let rows = rowsByTrack.get(layout);
  if (!rows) {
    rows = new Map();
    for (const row of layout.rows)
      if (row.type === "track") rows.set(row.track, row);
    rowsByTrack.set(layout, rows);
  }
  return rows.get(track) ?? null;
}

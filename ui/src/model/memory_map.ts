// SPDX-License-Identifier: Apache-2.0
//
// The map of memory: boxes as the server sends them, what lies under the
// pointer, and areas on top of one another. Pure.
import type {
  CounterSeries, MemoryArea, MemoryMapInfo,
} from "../generated/answers.ts";
import { SERIES, type Hue } from "../generated/looks.ts";
import { clampRange, SHORTEST, wholeRange, type Range } from "./axis.ts";

/** A recording may wait for seconds before a program does anything. */
const SMALL = 1 / 3;
const AIR = 0.05;

/** What is seen first: where allocations happen, if that is a small part. */
export function openingRange(
  { most_from: t0, most_to: t1 }: Pick<MemoryMapInfo, "most_from" | "most_to">,
  span: number): Range {
  if (t1 - t0 > SMALL * span) return wholeRange(span);
  const air = AIR * Math.max(t1 - t0, SHORTEST);
  // Beyond the ends of the recording there is nothing to be seen.
  const edge = air / 10;
  return clampRange({ t0: Math.max(-edge, t0 - air),
    t1: Math.min(span + edge, t1 + air) }, span);
}

/** What was asked for: a stretch of time and of addresses on so many cells. */
export interface BoxWindow {
  t0: number;
  t1: number;
  low: number;
  high: number;
  px: number;
  py: number;
}

export interface Boxes {
  window: BoxWindow;
  /** For each box its begin and end, ns. */
  times: Float64Array;
  /** For each box: address, size (both in units), id, group. */
  words: Uint32Array;
  boxes: number;
  /** For each run: first and last column, row; then share and group. */
  runWords: Uint16Array;
  runBytes: Uint8Array;
  runs: number;
}

const HEAD = 16;
const BOX = 32;
const RUN = 8;

/** Throws where the answer is not what docs/formats/http.md says. */
export function decodeBoxes(answer: ArrayBuffer, window: BoxWindow): Boxes {
  const view = new DataView(answer);
  const magic = answer.byteLength >= HEAD ? view.getUint32(0) : 0;
  if (magic !== 0x53534d42 || view.getUint32(4, true) !== 1)
    throw new Error("the server sent boxes in another form");
  const boxes = view.getUint32(8, true);
  const runs = view.getUint32(12, true);
  const end = HEAD + boxes * BOX;
  if (answer.byteLength !== end + runs * RUN)
    throw new Error("the server sent fewer boxes than it said");
  return {
    window, boxes, runs,
    times: new Float64Array(answer, HEAD, (boxes * BOX) / 8),
    words: new Uint32Array(answer, HEAD, (boxes * BOX) / 4),
    runWords: new Uint16Array(answer, end, (runs * RUN) / 2),
    runBytes: new Uint8Array(answer, end, runs * RUN),
  };
}

export interface Box {
  id: number;
  begin: number;
  end: number;
  low: number;
  high: number;
  group: number;
}

export function boxOf(boxes: Boxes, i: number, unit: number): Box {
  const low = boxes.words[i * 8 + 4]! * unit;
  return {
    begin: boxes.times[i * 4]!, end: boxes.times[i * 4 + 1]!,
    low, high: low + boxes.words[i * 8 + 5]! * unit,
    id: boxes.words[i * 8 + 6]!, group: boxes.words[i * 8 + 7]!,
  };
}

export interface Run {
  t0: number;
  t1: number;
  low: number;
  high: number;
  share: number;
  group: number;
}

export function runOf({ window, runWords, runBytes }: Boxes, i: number): Run {
  const ns = (window.t1 - window.t0) / window.px;
  const step = (window.high - window.low) / window.py;
  const row = runWords[i * 4 + 2]!;
  return {
    t0: window.t0 + runWords[i * 4]! * ns,
    t1: window.t0 + (runWords[i * 4 + 1]! + 1) * ns,
    low: window.low + row * step, high: window.low + (row + 1) * step,
    share: runBytes[i * 8 + 6]! / 255, group: runBytes[i * 8 + 7]!,
  };
}

/** The box at a time and an address; null: there is none. */
export function boxAt(boxes: Boxes, unit: number, time: number,
  address: number): Box | null {
  for (let i = 0; i < boxes.boxes; i++) {
    if (boxes.times[i * 4]! > time || boxes.times[i * 4 + 1]! <= time)
      continue;
    const box = boxOf(boxes, i, unit);
    if (box.low <= address && address < box.high) return box;
  }
  return null;
}

/** The run of small ones there; null: nothing is. */
export function runAt(boxes: Boxes, time: number, address: number)
  : Run | null {
  for (let i = 0; i < boxes.runs; i++) {
    const run = runOf(boxes, i);
    if (run.low <= address && address < run.high && run.t0 <= time &&
      time < run.t1) return run;
  }
  return null;
}

/** The last sample at this time or before; -1: none. */
export function sampleAt(area: MemoryArea, time: number): number {
  let [low, high] = [0, area.t.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (area.t[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What was there before lies at the bottom, then the groups by size. */
export function orderOf(area: MemoryArea): number[] {
  const last = area.groups.length - 1;
  return [last, ...area.groups.keys()].slice(0, last + 1);
}

/** Upper edges of the groups in that order; the last is all together. */
export function stackOf(area: MemoryArea, order: number[]): Float64Array[] {
  let below = new Float64Array(area.t.length);
  return order.map((group) => {
    const held = area.held[group]!;
    below = below.map((value, i) => value + held[i]!);
    return below;
  });
}

/** The most that is to be seen, and a little air. */
export function topOf(area: MemoryArea | null,
  reserved: CounterSeries | null): number {
  let most = 1;
  for (const held of area ? stackOf(area, orderOf(area)).at(-1) ?? [] : [])
    most = Math.max(most, held);
  for (const value of reserved?.max ?? []) most = Math.max(most, value ?? 0);
  return most * 1.06;
}

/** Groups that hold something at some time that is seen. */
export function shownGroups(area: MemoryArea): number[] {
  return [...area.groups.keys()].filter((group) =>
    area.held[group]!.some((bytes) => bytes > 0));
}

/** The hue of a group, and whether it is the paler one of two. */
export function hueOfGroup(group: number, groups: number)
  : { hue: Hue; pale: boolean } {
  if (group >= groups - 1) return { hue: "input", pale: false };
  if (group === groups - 2) return { hue: "unexplained", pale: false };
  return { hue: SERIES[group % SERIES.length]!, pale: group >= SERIES.length };
}

/** A stretch of addresses, zoomed around one of them; never beyond all. */
export function zoomAddresses(range: Range, factor: number, anchor: number,
  all: number): Range {
  const length = Math.min(all,
    Math.max((range.t1 - range.t0) * factor, all / 4096));
  const share = (anchor - range.t0) / (range.t1 - range.t0 || 1);
  return moveAddresses({ t0: anchor - share * length,
    t1: anchor + (1 - share) * length }, 0, all);
}

export function moveAddresses(range: Range, by: number, all: number): Range {
  const length = Math.min(all, range.t1 - range.t0);
  const t0 = Math.min(Math.max(0, range.t0 + by), all - length);
  return { t0, t1: t0 + length };
}

/** Lines of steps, unless they would be a fence. */
export function stepLines(steps: { start: number; end: number }[],
  range: Range, width: number): number[] {
  const seen = steps.filter((step) =>
    step.start >= range.t0 && step.start < range.t1);
  const CLOSEST_PX = 8;
  return seen.length * CLOSEST_PX > width ? []
    : seen.map((step) => step.start);
}

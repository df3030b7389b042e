// SPDX-License-Identifier: Apache-2.0
//
// The time axis: which part of a trace is seen, and how it moves. Times are
// nanoseconds from the trace's origin, in doubles. Pure.
export interface Range {
  t0: number;
  t1: number;
}

/** Nothing is recorded finer than a nanosecond: 40 of them fill a screen. */
export const SHORTEST = 40;
/** Room beyond the ends of the trace, as a share of what is seen. */
const MARGIN = 0.5;

export const lengthOf = ({ t0, t1 }: Range) => t1 - t0;

export function nsPerPixel(range: Range, width: number): number {
  return (range.t1 - range.t0) / Math.max(1, width);
}
export function timeToX(range: Range, width: number, time: number): number {
  return ((time - range.t0) / (range.t1 - range.t0)) * width;
}
export function xToTime(range: Range, width: number, x: number): number {
  return range.t0 + (x / Math.max(1, width)) * (range.t1 - range.t0);
}

/** The whole trace with a little air at both sides. */
export function wholeRange(span: number): Range {
  const air = Math.max(span, SHORTEST) * 0.004;
  return { t0: -air, t1: Math.max(span, SHORTEST) + air };
}

/** Recording may go on after the last event: more than this share is much. */
const MUCH = 0.04;

/** Where the last event ends, if much was recorded after it; else null. */
export function endOfEvents(info: { span_ns: number; events_end?: number })
  : number | null {
  const end = info.events_end ?? info.span_ns;
  return end < info.span_ns * (1 - MUCH) ? end : null;
}

/** What is seen first: all events. */
export const firstRange = (info: { span_ns: number; events_end?: number }) =>
  wholeRange(endOfEvents(info) ?? info.span_ns);

/** Keeps a range within sight of the trace and within sensible sizes. */
export function clampRange(range: Range, span: number): Range {
  const whole = wholeRange(span);
  const longest = whole.t1 - whole.t0;
  let length = range.t1 - range.t0;
  if (!(length > 0)) return whole;
  const middle = (range.t0 + range.t1) / 2;
  let { t0, t1 } = range;
  const wanted = Math.min(Math.max(length, SHORTEST), longest);
  if (wanted !== length) {
    t0 = middle - wanted / 2;
    t1 = middle + wanted / 2;
    length = wanted;
  }
  const air = length * MARGIN;
  const low = -air;
  const high = span + air;
  if (length >= longest) return whole;
  if (t0 < low) return { t0: low, t1: low + length };
  if (t1 > high) return { t0: high - length, t1: high };
  return { t0, t1 };
}

/** Lengths that differ by less are one: an address has whole nanoseconds. */
const SAME_LENGTH = 0.001;

/**
 * Whether a person would go back from one range to the other: it is of another
 * length, or nothing of it was seen. Moving along is no such step.
 */
export function isOtherView(before: Range, after: Range): boolean {
  const [a, b] = [before.t1 - before.t0, after.t1 - after.t0];
  return Math.abs(a - b) > SAME_LENGTH * Math.max(a, b) ||
    after.t0 >= before.t1 || after.t1 <= before.t0;
}

/** Zooms by `factor` (below 1: in) so that `anchor` stays where it is. */
export function zoomAt(range: Range, factor: number, anchor: number,
  span: number): Range {
  const length = range.t1 - range.t0;
  const wanted = Math.max(SHORTEST, length * factor);
  const share = (anchor - range.t0) / length;
  const t0 = anchor - share * wanted;
  return clampRange({ t0, t1: t0 + wanted }, span);
}

/** An event in the middle third of the screen. */
export function frameEvent(start: number, dur: number, span: number): Range {
  const air = Math.max(dur, SHORTEST / 3);
  return clampRange({ t0: start - air, t1: start + dur + air }, span);
}

/** The range itself when the event is well seen in it, else moved to it. */
export function reveal(range: Range, start: number, dur: number,
  span: number): Range {
  const length = range.t1 - range.t0;
  const seen = start + dur > range.t0 + length * 0.02 &&
    start < range.t1 - length * 0.02;
  const long = dur > length * 2;
  const fine = dur > length / 2000;
  if (seen && fine && !long) return range;
  if (long) return frameEvent(start, dur, span);
  const wanted = fine ? length : Math.max(dur * 60, SHORTEST);
  const middle = start + dur / 2;
  return clampRange(
    { t0: middle - wanted / 2, t1: middle + wanted / 2 }, span);
}

/** Round times to draw lines at: 1, 2 or 5 of a power of ten apart. */
export function ticksOf(range: Range, width: number, apart = 110)
  : { step: number; times: number[] } {
  const least = nsPerPixel(range, width) * apart;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(
    1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least)!);
  const times: number[] = [];
  for (let i = Math.ceil(range.t0 / step); i * step <= range.t1; i++)
    times.push(i * step);
  return { step, times };
}

// SPDX-License-Identifier: Apache-2.0
//
// Iterations and requests of an inference server: what the server's columns
// say of one of them, where it stands on the axis, and what the address names.
// Pure.
import type {
  IterationSpots, LatencyInfo, RequestList, ServesInfo, ServingInfo,
} from "../generated/answers.ts";
import { ITERATIONS, PHASES } from "../generated/looks.ts";
import type { Range } from "./axis.ts";
import { countOf, formatTime } from "./format.ts";
import { lookOf } from "./palette.ts";
import { SpanIndex } from "./spans.ts";
import { niceTicks } from "./waterfall.ts";

/** An iteration, or several that share a pixel. */
export interface Spot {
  /** The number of the first, and how many there are. */
  first: number;
  count: number;
  start: number;
  end: number;
  kind: string;
  /** Of several, the fullest one's; null: the trace does not say it. */
  requests: number | null;
  tokens: number | null;
  /** The mark of the first, as an event. */
  row: number;
  /** One of them worked on the request that was asked for. */
  chosen: boolean;
}

export function spotsOf(answer: IterationSpots): Spot[] {
  return answer.first.map((first, n) => ({
    first, count: answer.count[n]!, start: answer.start[n]!,
    end: answer.start[n]! + answer.dur[n]!,
    kind: answer.kinds[answer.kind[n]!] ?? "unknown",
    requests: answer.requests[n] ?? null, tokens: answer.tokens[n] ?? null,
    row: answer.row[n]!, chosen: answer.chosen[n] === 1,
  }));
}

/** Whether the iteration of that number is in it. */
export const hasIteration = ({ first, count }: Spot, number: number) =>
  first <= number && number < first + count;

export type SpotIndex = SpanIndex<Spot>;
export const indexSpots = (spots: readonly Spot[]): SpotIndex =>
  new SpanIndex(spots, (spot) => spot);

export const kindTitle = (kind: string) => lookOf(ITERATIONS, kind).title;

/** "Iteration 7: Decode, 4 requests, 4 tokens, 0.60 ms". */
export function spotText(spot: Spot): string {
  const several = spot.count > 1;
  const most = several ? "at most " : "";
  return [
    several ? `${countOf(spot.count, "iteration")} from ${spot.first} on, ` +
      `mostly ${kindTitle(spot.kind).toLowerCase()}`
      : `Iteration ${spot.first}: ${kindTitle(spot.kind)}`,
    spot.requests === null ? "" : most + countOf(spot.requests, "request"),
    spot.tokens === null ? "" : most + countOf(spot.tokens, "token"),
    formatTime(spot.end - spot.start),
  ].filter(Boolean).join(", ");
}

/** What stands in its box on the timeline. */
export function spotLabel({ count, kind, requests }: Spot): string {
  if (count > 1) return countOf(count, "iteration");
  const title = kindTitle(kind);
  return requests === null ? title
    : `${title} · ${countOf(requests, "request")}`;
}

type Phase = "queue" | "prefill" | "decode";
export interface PhaseSpan {
  phase: Phase;
  start: number;
  end: number;
}
const PHASE_NAMES = Object.keys(PHASES) as Phase[];

/** The phases of a request that are known, in their order. */
export function phasesOf(list: RequestList, request: number): PhaseSpan[] {
  return PHASE_NAMES.flatMap((phase) => {
    const start = list[phase][request];
    const dur = list[`${phase}_dur`][request];
    return start == null || dur == null ? []
      : [{ phase, start, end: start + dur }];
  });
}

/** Where there are iterations or requests, with a little air. */
export function servingRange({ start, dur }: ServingInfo): Range {
  const air = Math.max(dur, 1) * 0.01;
  return { t0: start - air, t1: start + dur + air };
}

/** From the first to the last that is known of a request; null: nothing is. */
export function extentOf(list: RequestList, request: number)
  : { start: number; end: number } | null {
  const phases = phasesOf(list, request);
  return phases.length === 0 ? null
    : { start: phases[0]!.start, end: phases.at(-1)!.end };
}

/** Requests of which something is in a stretch of time, by arrival. */
export function requestsIn(list: RequestList, range: Range): number[] {
  const found: number[] = [];
  for (let n = 0; n < list.table.rows.length; n++) {
    const extent = extentOf(list, n);
    // Where no time is known, none is wrong.
    if (!extent || extent.start < range.t1 && extent.end > range.t0)
      found.push(n);
  }
  return found;
}

/** Where a stretch stands in a window, as shares of it; null: outside. */
export function placeIn(range: Range, start: number, end: number)
  : { left: number; width: number } | null {
  const length = range.t1 - range.t0;
  const left = Math.max(0, (start - range.t0) / length);
  const right = Math.min(1, (end - range.t0) / length);
  return right < 0 || left > 1 || right < left ? null
    : { left, width: right - left };
}

/** Heights of bars: requests as they are, tokens by their logarithm. */
export const linear = (value: number, most: number) => value / most;
export const logarithmic = (value: number, most: number) =>
  Math.log1p(value) / Math.log1p(most);

/** Whole numbers beside an axis that ends at `most`. */
export const countTicks = (most: number) =>
  niceTicks(Math.max(1, most)).filter(Number.isInteger);
/** Powers of ten up to `most`. */
export function powerTicks(most: number): number[] {
  const ticks: number[] = [];
  for (let one = 1; one <= most; one *= 10) ticks.push(one);
  return ticks;
}

/** What an address has chosen: a request or an iteration, by number. */
export interface Chosen {
  request: number | null;
  iteration: number | null;
}
const numberBelow = (text: string | undefined, limit: number) =>
  text !== undefined && /^\d{1,9}$/.test(text) && Number(text) < limit
    ? Number(text) : null;

export function chosenOf(more: Record<string, string>,
  serves: ServesInfo | null | undefined): Chosen {
  const request = numberBelow(more["request"], serves?.requests ?? 0);
  return { request, iteration: request !== null ? null
    : numberBelow(more["iteration"], serves?.count ?? 0) };
}

/** The settings of an address with another choice in them. */
export function withChosen(more: Record<string, string>,
  { request, iteration }: Chosen): Record<string, string> {
  const next = { ...more };
  delete next["request"];
  delete next["iteration"];
  if (request !== null) next["request"] = String(request);
  else if (iteration !== null) next["iteration"] = String(iteration);
  return next;
}

/** A request without an id has its number. */
export const requestName = (id: string, index: number) =>
  id || `request ${index}`;

/** The rule that an address names, else the usual one. */
export const billOf = ({ bills }: ServingInfo, more: Record<string, string>) =>
  bills.find((one) => one.name === more["bill"]) ?? bills[0]!;

/** The histograms of requests, and that of the kind that is looked at. */
export function shownLatencies(all: LatencyInfo[], kind: string | undefined)
  : { requests: LatencyInfo[]; kinds: string[]; period: LatencyInfo | null } {
  const periods = all.filter((one) => one.kind !== null);
  const usual = periods.find((one) => one.kind === "decode") ?? periods[0];
  return {
    requests: all.filter((one) => one.kind === null),
    kinds: periods.map((one) => one.kind!),
    period: periods.find((one) => one.kind === kind) ?? usual ?? null,
  };
}

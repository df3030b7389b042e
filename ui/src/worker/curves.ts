// SPDX-License-Identifier: Apache-2.0
//
// Counters as steps with a filled area, and the why-idle strips.
import type {
  CounterSeries, IdleInfo, StageInfo, TraceInfo,
} from "../generated/answers.ts";
import { CURVES, PARTS } from "../generated/looks.ts";
import {
  isSeries, stageTrackOf, stripTop, type TrackRow,
} from "../model/layout.ts";
import { LABEL_HEIGHT } from "../model/density.ts";
import { lookOf } from "../model/palette.ts";
import { indexBy, type SpanIndex } from "../model/spans.ts";
import { LABEL_WIDTH } from "./labels.ts";
import { cssOf, type Paints } from "./paints.ts";
import { drawIterations } from "./iteration_track.ts";
import { drawPath, type PathTrack } from "./path_track.ts";
import { RULER_HEIGHT, type View } from "./protocol.ts";
import type { SeriesStore } from "./series.ts";
import { BOX_FONT } from "./text.ts";

type Context = OffscreenCanvasRenderingContext2D;

/** Last sample at or before a time, or -1. */
export function sampleAt(times: number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Least and greatest value that is seen; null: nothing is. */
export function seenRange(series: CounterSeries, t0: number, t1: number)
  : { min: number; max: number } | null {
  let min = Infinity;
  let max = -Infinity;
  for (let n = Math.max(0, sampleAt(series.t, t0)); n < series.t.length; n++) {
    if (series.t[n]! > t1) break;
    if (series.last[n] == null) continue;
    min = Math.min(min, series.min[n]!);
    max = Math.max(max, series.max[n]!);
  }
  return min <= max ? { min, max } : null;
}

/** The values at the bottom and the top of a track. */
export function scaleOf(row: TrackRow, range: { min: number; max: number })
  : { low: number; high: number } {
  if (row.kind === "busy" || row.kind === "occupancy")
    return { low: 0, high: range.max > 1 ? 100 : 1 };
  if (row.kind === "queue" || range.min >= 0 && range.min < range.max / 2)
    return { low: Math.min(0, range.min), high: Math.max(range.max, 1e-9) };
  const air = (range.max - range.min || Math.abs(range.max) || 1) * 0.08;
  return { low: range.min - air, high: range.max + air };
}

/** Nothing is drawn beyond the trace, nor in a gap: no value is known there. */
function drawCounter(context: Context, row: TrackRow, series: CounterSeries,
  span: number, view: View, paints: Paints)
  : { min: number; max: number } | null {
  const range = seenRange(series, view.t0, view.t1);
  if (!range) return null;
  const { low, high } = scaleOf(row, range);
  const top = row.y - view.scroll + RULER_HEIGHT + row.top + 1;
  const height = row.height - 2 * row.top - 1;
  const bottom = top + height;
  const scale = view.width / (view.t1 - view.t0);
  const toY = (value: number) =>
    bottom - ((value - low) / (high - low)) * height;
  const { hue } = lookOf(CURVES, row.kind);
  context.strokeStyle = cssOf(hue, paints.theme);
  context.lineWidth = 1.2;
  context.lineJoin = "round";
  context.fillStyle =
    cssOf(hue, paints.theme, paints.theme === "dark" ? 0.26 : 0.2);
  let begun = false;
  let lastY = 0;
  let firstX = 0;
  const finish = (end: number) => {
    if (!begun) return;
    context.lineTo(end, lastY);
    context.stroke();
    context.lineTo(end, bottom);
    context.lineTo(firstX, bottom);
    context.closePath();
    context.fill();
    begun = false;
  };
  let x = 0;
  for (let n = Math.max(0, sampleAt(series.t, view.t0));
    n < series.t.length; n++) {
    if (series.t[n]! > view.t1) break;
    x = Math.max(-2, (Math.max(0, series.t[n]!) - view.t0) * scale);
    if (series.last[n] == null) {
      finish(x);
      continue;
    }
    if (!begun) {
      context.beginPath();
      context.moveTo(x, toY(series.last[n]!));
      firstX = x;
      begun = true;
    } else {
      context.lineTo(x, lastY);
      // A bucket's whole span, so that a short peak is seen.
      if (series.max[n]! > series.min[n]!) {
        context.lineTo(x, toY(series.max[n]!));
        context.lineTo(x, toY(series.min[n]!));
      }
      context.lineTo(x, toY(series.last[n]!));
    }
    lastY = toY(series.last[n]!);
  }
  finish(Math.max(x, Math.min(view.width + 2,
    (Math.min(span, view.t1) - view.t0) * scale)));
  return range;
}

function drawStrip(context: Context, row: TrackRow, strip: IdleInfo,
  causes: string[], view: View, paints: Paints): void {
  const y = stripTop(row) - view.scroll + RULER_HEIGHT;
  const scale = view.width / (view.t1 - view.t0);
  // The colour of a cause is asked for once, not for each of its parts.
  const colours: string[] = [];
  let last = -1;
  for (const [start, dur, cause] of strip.parts) {
    const x0 = (start - view.t0) * scale;
    const x1 = x0 + dur * scale;
    if (x1 < 0 || x0 > view.width) continue;
    if (cause !== last)
      context.fillStyle = colours[cause] ??=
        cssOf(lookOf(PARTS, causes[cause] ?? "").hue, paints.theme);
    last = cause;
    const left = Math.max(0, x0);
    context.fillRect(left, y, Math.max(0.75, Math.min(view.width, x1) - left),
      row.strip);
  }
}

/** Stages by the track that shows them. */
export type Stages = ReadonlyMap<number, SpanIndex<StageInfo>>;

export const indexStages = (stages: readonly StageInfo[]): Stages =>
  indexBy(stages,
    ({ group }) => group === null ? null : stageTrackOf(group),
    (stage) => stage);

/** Of stages that overlap, as those of several threads do, the first shows. */
function drawStages(context: Context, row: TrackRow,
  stages: SpanIndex<StageInfo>, view: View, paints: Paints): void {
  const y = row.y + row.top - view.scroll + RULER_HEIGHT;
  const named: [string, number, number][] = [];
  context.fillStyle = cssOf("stage", paints.theme,
    paints.theme === "dark" ? 0.36 : 0.4);
  let covered = 0;
  // What touches is one rectangle: there may be one per pixel.
  let from = 0;
  let to = 0;
  const flush = () => {
    if (to > from) context.fillRect(from, y, to - from, row.boxHeight);
  };
  stages.seen(view, view.width, Infinity, (stage, x0, x1) => {
    const left = Math.max(x0, covered);
    const wide = x1 - left - (x1 - left > 2 ? 1 : 0);
    if (left !== to) {
      flush();
      from = left;
    }
    to = left + wide;
    covered = x1;
    if (wide >= LABEL_WIDTH && row.boxHeight >= LABEL_HEIGHT)
      named.push([stage.name, left, wide]);
  });
  flush();
  context.font = BOX_FONT;
  context.textBaseline = "middle";
  context.fillStyle = paints.css.text;
  for (const [name, x, wide] of named) {
    context.save();
    context.beginPath();
    context.rect(x, y, wide - 3, row.boxHeight);
    context.clip();
    context.fillText(name, x + 5, y + row.boxHeight / 2 + 0.5);
    context.restore();
  }
}

export function drawCurves(context: Context, rows: TrackRow[],
  store: SeriesStore, stages: Stages, path: PathTrack, info: TraceInfo,
  view: View, paints: Paints,
  onRange: (track: number, min: number, max: number) => void)
  : void {
  context.save();
  context.beginPath();
  context.rect(0, RULER_HEIGHT, view.width, view.height);
  context.clip();
  for (const row of rows) {
    if (row.kind === "stage") {
      const own = stages.get(row.track);
      if (own) drawStages(context, row, own, view, paints);
    } else if (row.kind === "iterations") {
      const own = store.iterations(row.track);
      if (own) drawIterations(context, row, own, view, paints);
    } else if (row.kind === "path") {
      drawPath(context, row, path, view, paints);
    } else if (row.kind === "stream") {
      const strip = row.strip > 0 && store.strip(row.track);
      if (strip)
        drawStrip(context, row, strip, info.idle_causes ?? [], view, paints);
    } else if (isSeries(row.kind)) {
      const series = store.counter(row.track);
      const range = series && series.t.length > 0 &&
        drawCounter(context, row, series, info.span_ns, view, paints);
      if (range) onRange(row.track, range.min, range.max);
    }
  }
  context.restore();
}

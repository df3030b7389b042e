// SPDX-License-Identifier: Apache-2.0
//
// What is drawn with lines over the boxes: selection, arrows, marks, measured
// times, the critical path.
import type { CriticalSegment } from "../generated/answers.ts";
import { timeToX } from "../model/axis.ts";
import { placeLabels } from "../model/band_labels.ts";
import { formatTime } from "../model/format.ts";
import { LABEL_HEIGHT } from "../model/density.ts";
import { boxPlace, rowOfTrack } from "../model/layout.ts";
import { clipName } from "../model/names.ts";
import { groundOf } from "../model/palette.ts";
import { indexBy, type SpanIndex } from "../model/spans.ts";
import type { Paints } from "./paints.ts";
import { RULER_HEIGHT, type Overlay, type Place } from "./protocol.ts";
import type { Scene } from "./scene.ts";
import { SMALL_FONT } from "./text.ts";

type Context = OffscreenCanvasRenderingContext2D;
interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Where an event is on the canvas, or null when its track is not shown. */
function rectOf(scene: Scene, place: Place): Rect | null {
  const row = rowOfTrack(scene.layout, place.track);
  if (!row || row.lanes === 0) return null;
  const { view } = scene;
  const { y, height } = boxPlace(row, place.depth);
  const x0 = timeToX(view, view.width, place.start);
  const x1 = timeToX(view, view.width, place.start + place.dur);
  return { x: x0, y: y - view.scroll + RULER_HEIGHT,
    w: Math.max(1, x1 - x0), h: height };
}

function drawSelection(context: Context, scene: Scene, paints: Paints,
  place: Place): void {
  const rect = rectOf(scene, place);
  if (!rect) return;
  // Far ends of long boxes are beyond what a canvas can draw sharply.
  const x0 = Math.max(-10, rect.x);
  const x1 = Math.min(scene.view.width + 10, rect.x + rect.w);
  if (x1 < -8 || x0 > scene.view.width + 8) return;
  const wide = Math.max(x1 - x0, 5);
  // Around a low box, not over it.
  const air = rect.h < LABEL_HEIGHT ? 1 : 0;
  const left = x0 - (wide - (x1 - x0)) / 2;
  context.lineWidth = 2;
  context.strokeStyle = paints.css.select;
  context.beginPath();
  context.roundRect(Math.round(left), Math.round(rect.y) - air,
    Math.round(wide), rect.h + 2 * air, 2);
  context.stroke();
}

function drawArrow(context: Context, from: Rect, to: Rect): void {
  const x0 = from.x + from.w;
  const y0 = from.y + from.h / 2;
  const x1 = to.x;
  const y1 = to.y + to.h / 2;
  const bend = Math.max(24, Math.min(160, Math.abs(x1 - x0) / 2));
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 7, y1 - 4);
  context.lineTo(x1 - 7, y1 + 4);
  context.fill();
}

function drawArrows(context: Context, scene: Scene, paints: Paints,
  overlay: Overlay): void {
  context.lineWidth = 1.5;
  context.strokeStyle = paints.css.arrow;
  context.fillStyle = paints.css.arrow;
  for (const arrow of overlay.arrows) {
    const from = rectOf(scene, arrow.from);
    const to = rectOf(scene, arrow.to);
    if (!from || !to) continue;
    if (Math.max(from.x + from.w, to.x) < -500 ||
      Math.min(from.x, to.x) > scene.view.width + 500) continue;
    drawArrow(context, from, to);
  }
}

/** A time that is marked or measured. */
interface Band {
  t0: number;
  t1: number;
  text: string;
  colour: string;
}

/** Letters of a mark that stand on the ruler. */
const MOST_OF_LABEL = 60;

/** Bands of time, each with what it says at the top. */
function drawBands(context: Context, scene: Scene, bands: Band[]): void {
  const { view } = scene;
  context.font = SMALL_FONT;
  const seen = bands.map((band) => ({ ...band,
    x0: timeToX(view, view.width, band.t0),
    x1: timeToX(view, view.width, band.t1),
  })).filter(({ x0, x1 }) => x1 >= 0 && x0 <= view.width)
    .map((band) => ({ ...band,
      text: clipName(band.text, MOST_OF_LABEL) }))
    .map((band) => ({ ...band,
      width: context.measureText(band.text).width + 12 }));
  for (const { x0, x1, colour } of seen) {
    context.globalAlpha = 0.1;
    context.fillStyle = colour;
    context.fillRect(x0, RULER_HEIGHT, Math.max(1, x1 - x0), view.height);
    context.globalAlpha = 1;
    for (const x of [x0, x1])
      context.fillRect(Math.round(x), 0, 1, view.height);
  }
  const places = placeLabels(seen.map(({ x0, x1, width }) => ({
    x0: Math.max(0, x0), x1: Math.min(view.width, x1), width })), view.width);
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const [n, { x, row }] of places.entries()) {
    const { width, text, colour } = seen[n]!;
    const y = 4 + row * 20;
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(x, y, width, 18, 4);
    context.fill();
    context.fillStyle = groundOf("on-accent", "light");
    context.fillText(text, x + width / 2, y + 9.5);
  }
  context.textAlign = "left";
}

/** The critical path by track: there may be a part per event of a trace. */
export type CriticalPath = ReadonlyMap<number, SpanIndex<CriticalSegment>>;

export const indexCritical = (segments: readonly CriticalSegment[])
  : CriticalPath => indexBy(segments, ({ track }) => track ?? null,
  ({ start, dur }) => ({ start, end: start + dur }));

function drawCritical(context: Context, scene: Scene, paints: Paints,
  path: CriticalPath): void {
  context.fillStyle = paints.css.arrow;
  const { view } = scene;
  for (const { row } of scene.tracks)
    path.get(row.track)?.seen(view, view.width, 2, (part, x0, x1) => {
      const { y } = boxPlace(row, part.depth ?? 0);
      // Low lanes have one line between them, which it must not leave.
      const thick = row.laneHeight < LABEL_HEIGHT ? 1 : 2;
      context.fillRect(x0, y - view.scroll + RULER_HEIGHT - thick -
        (thick === 2 ? 0.5 : 0), x1 - x0, thick);
    });
}

export function drawOverlay(context: Context, scene: Scene, paints: Paints,
  overlay: Overlay, path: CriticalPath): void {
  const { view } = scene;
  context.save();
  context.beginPath();
  context.rect(0, RULER_HEIGHT, view.width, view.height);
  context.clip();
  drawCritical(context, scene, paints, path);
  drawArrows(context, scene, paints, overlay);
  for (const place of [overlay.selected, overlay.piece])
    if (place) drawSelection(context, scene, paints, place);
  if (overlay.box) {
    const x0 = timeToX(view, view.width, overlay.box.t0);
    const x1 = timeToX(view, view.width, overlay.box.t1);
    const y = overlay.box.y0 - view.scroll + RULER_HEIGHT;
    context.fillStyle = paints.css.accent;
    context.globalAlpha = 0.14;
    context.fillRect(x0, y, x1 - x0, overlay.box.y1 - overlay.box.y0);
    context.globalAlpha = 1;
    context.strokeStyle = paints.css.accent;
    context.lineWidth = 1;
    context.strokeRect(Math.round(x0) + 0.5, Math.round(y) + 0.5,
      Math.round(x1 - x0), overlay.box.y1 - overlay.box.y0);
  }
  if (overlay.cursor !== null) {
    const x = Math.round(timeToX(view, view.width, overlay.cursor));
    context.fillStyle = paints.css.text3;
    context.globalAlpha = 0.35;
    context.fillRect(x, RULER_HEIGHT, 1, view.height);
    context.globalAlpha = 1;
  }
  context.restore();
  const bands: Band[] = overlay.marks.map((mark) =>
    ({ ...mark, colour: groundOf("warn", "light") }));
  // What is measured comes first: its label stays where the ruler is.
  if (overlay.measure) bands.unshift({ ...overlay.measure,
    colour: groundOf("accent", "light"),
    text: formatTime(overlay.measure.t1 - overlay.measure.t0) });
  if (bands.length > 0) drawBands(context, scene, bands);
}

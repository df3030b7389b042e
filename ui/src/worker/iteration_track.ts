// SPDX-License-Identifier: Apache-2.0
//
// Iterations of a server as a track, in the colours of their kinds, and what
// the device did for the chosen request: the rest of its work steps back.
import type { IterationWork } from "../generated/answers.ts";
import { ITERATIONS } from "../generated/looks.ts";
import { LABEL_HEIGHT } from "../model/density.ts";
import { boxPlace, type TrackRow } from "../model/layout.ts";
import { lookOf } from "../model/palette.ts";
import { spotLabel, type SpotIndex } from "../model/serving.ts";
import { columnsBetween, veilOf } from "../model/veil.ts";
import { LABEL_WIDTH } from "./labels.ts";
import { cssOf, type Paints } from "./paints.ts";
import { RULER_HEIGHT, type View } from "./protocol.ts";
import type { Scene } from "./scene.ts";
import { BOX_FONT } from "./text.ts";

type Context = OffscreenCanvasRenderingContext2D;

export function drawIterations(context: Context, row: TrackRow,
  spots: SpotIndex, view: View, paints: Paints): void {
  const y = row.y + row.top - view.scroll + RULER_HEIGHT;
  const named: [string, number, number][] = [];
  const colours = new Map<string, string>();
  const alpha = paints.theme === "dark" ? 0.62 : 0.6;
  spots.seen(view, view.width, 2, (spot, x0, x1) => {
    let colour = colours.get(spot.kind);
    if (!colour)
      colours.set(spot.kind, colour =
        cssOf(lookOf(ITERATIONS, spot.kind).hue, paints.theme, alpha));
    context.fillStyle = colour;
    const wide = x1 - x0 - (x1 - x0 > 3 ? 1 : 0);
    context.fillRect(x0, y, wide, row.boxHeight);
    if (wide >= LABEL_WIDTH && row.boxHeight >= LABEL_HEIGHT)
      named.push([spotLabel(spot), x0, wide]);
  });
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

const VEIL = 0.72;
/** The line under what stands out, in pixels. */
const LINE = 2;

export function drawWork(context: Context, scene: Scene, paints: Paints,
  work: IterationWork): void {
  const { view } = scene;
  const shown = columnsBetween(work.parts, view, view.width);
  context.save();
  context.beginPath();
  context.rect(0, RULER_HEIGHT, view.width, view.height);
  context.clip();
  for (const { row } of scene.tracks) {
    if (row.kind !== "stream") continue;
    for (let lane = 0; lane < row.lanes; lane++) {
      const place = boxPlace(row, lane);
      const y = place.y - view.scroll + RULER_HEIGHT;
      const own = shown.filter((one) => one.track === row.track &&
        Math.min(one.depth, row.lanes - 1) === lane);
      context.globalAlpha = VEIL;
      context.fillStyle = paints.css.page;
      for (const [x0, x1] of veilOf(own, view.width))
        context.fillRect(x0, y, x1 - x0, place.height);
      context.globalAlpha = 1;
      context.fillStyle = paints.css.select;
      for (const { x0, x1 } of own)
        context.fillRect(x0, y + place.height - LINE, x1 - x0, LINE);
    }
  }
  context.restore();
}

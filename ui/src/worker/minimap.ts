// SPDX-License-Identifier: Apache-2.0
//
// The part that is seen, in the minimap. It moves with every frame: an element
// that the page moved would cost it a style, a layer update and a commit.
import { nsPerPixel, timeToX, wholeRange } from "../model/axis.ts";
import type { Paints } from "./paints.ts";
import type { View } from "./protocol.ts";

/** Heights in CSS pixels; the names of steps stand above it. */
const HEIGHT = 49;
const TOP = 15;
const LEAST_WIDTH = 5;

/** Left and right in whole pixels; null: the whole trace is seen. */
export function windowPlace(view: { t0: number; t1: number; width: number },
  traceSpan: number): { left: number; right: number } | null {
  const whole = wholeRange(traceSpan);
  // A picture's range is a sum of pixels, so it may miss by a rounding.
  const half = nsPerPixel(whole, view.width) / 2;
  if (view.t0 <= whole.t0 + half && view.t1 >= whole.t1 - half) return null;
  const least = Math.min(LEAST_WIDTH, view.width);
  const left = Math.round(Math.min(view.width - least,
    Math.max(0, timeToX(whole, view.width, view.t0))));
  const right = Math.round(Math.max(left + least,
    Math.min(view.width, timeToX(whole, view.width, view.t1))));
  return { left, right };
}

export class MinimapWindow {
  private readonly canvas: OffscreenCanvas;
  private readonly context: OffscreenCanvasRenderingContext2D;
  private drawn = "";

  constructor(canvas: OffscreenCanvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: true })!;
  }

  /** Draws only when something changed: most moves are less than a pixel. */
  draw(view: View, traceSpan: number, paints: Paints): void {
    const place = windowPlace(view, traceSpan);
    const key = [view.width, view.ratio, paints.theme, place?.left,
      place?.right].join();
    if (key === this.drawn) return;
    this.drawn = key;
    const { canvas, context } = this;
    const width = Math.round(view.width * view.ratio);
    const height = Math.round(HEIGHT * view.ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.clearRect(0, 0, view.width, HEIGHT);
    if (!place) return;
    context.beginPath();
    context.roundRect(place.left + 0.75, TOP + 0.75,
      place.right - place.left - 1.5, HEIGHT - TOP - 2.5, 2.25);
    context.fillStyle = paints.css.accent;
    context.globalAlpha = 0.1;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = paints.css.accent;
    context.lineWidth = 1.5;
    context.stroke();
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// A back end draws boxes and their names; lines come after, in 2D, by the
// painter. Both back ends read the same scene.
import type { Paints } from "./paints.ts";
import type { NameStore } from "./names.ts";
import type { Tile } from "../model/records.ts";
import type { Scan, Backdrop } from "./scan.ts";
import { Scan as Scanner } from "./scan.ts";
import type { Scene } from "./scene.ts";
import { RULER_HEIGHT } from "./protocol.ts";
import { labelsOf } from "./labels.ts";
import { BOX_FONT, TextFitter } from "./text.ts";

/** Where the time of all frames went, in ms. */
interface Spent {
  raster: number;
  copy: number;
  text: number;
}

export interface Backend {
  readonly name: "gl" | "scan";
  readonly spent: Spent;
  readonly boxes: number;
  resize(width: number, height: number): void;
  /** `ratio`: device pixels per CSS pixel. */
  draw(scene: Scene, paints: Paints, backdrop: Backdrop, ratio: number,
    name: number | null, names: NameStore): void;
  forget(tile: Tile): void;
  /** Some of it comes with the next frame. */
  readonly unfinished: boolean;
  /** It can draw no more (a lost GPU), or does it too slowly. */
  readonly lost: boolean;
  readonly tooSlow: boolean;
}

/** How much is left of the last characters of a text that is cut. */
const FADE = [0.6, 0.3];

type Context = OffscreenCanvasRenderingContext2D;

/** Boxes by the rasteriser, names by the canvas's own text. */
export class ScanBackend implements Backend {
  readonly name = "scan";
  readonly spent = { raster: 0, copy: 0, text: 0 };
  readonly unfinished = false;
  readonly lost = false;
  readonly tooSlow = false;
  private readonly context: Context;
  private readonly scan: Scan = new Scanner();
  private readonly fitter = new TextFitter();
  private width = 0;
  private height = 0;

  constructor(context: Context) {
    this.context = context;
  }
  get boxes(): number {
    return this.scan.boxes;
  }
  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
  }
  forget(): void {}

  draw(scene: Scene, paints: Paints, backdrop: Backdrop, ratio: number,
    name: number | null, names: NameStore): void {
    const top = Math.round(RULER_HEIGHT * ratio);
    const times = [performance.now()];
    this.scan.resize(this.width, Math.max(1, this.height - top));
    const image = this.scan.draw(scene, paints, backdrop, ratio, name);
    times.push(performance.now());
    this.context.putImageData(image, 0, top);
    times.push(performance.now());
    this.drawLabels(scene, paints, names);
    times.push(performance.now());
    this.spent.raster += times[1]! - times[0]!;
    this.spent.copy += times[2]! - times[1]!;
    this.spent.text += times[3]! - times[2]!;
  }

  private drawLabels(scene: Scene, paints: Paints, names: NameStore): void {
    const { context, fitter } = this;
    const { view } = scene;
    const shift = RULER_HEIGHT - view.scroll;
    context.save();
    context.beginPath();
    context.rect(0, RULER_HEIGHT, view.width, view.height);
    context.clip();
    context.font = BOX_FONT;
    context.textBaseline = "middle";
    context.fillStyle = paints.css.text;
    for (const track of scene.tracks)
      labelsOf(track, view, (label) => {
        const y = label.y + shift;
        if (y + label.height < RULER_HEIGHT || y > view.height) return;
        const text = names.get(label.name)?.short;
        if (!text) return;
        const cut = fitter.fit(context, text, label.x1 - label.x0 - 7);
        if (cut.length > 1 || cut === text)
          this.drawText(cut, cut !== text, label.x0 + 4,
            y + label.height / 2 + 0.5);
      });
    context.restore();
  }

  /** Text that is cut fades over its last characters. */
  private drawText(text: string, cut: boolean, x: number, y: number): void {
    const { context, fitter } = this;
    if (!cut || text.length < 4) return context.fillText(text, x, y);
    let at = text.length - FADE.length;
    context.fillText(text.slice(0, at), x, y);
    let left = x + fitter.width(context, text.slice(0, at));
    for (const alpha of FADE) {
      context.globalAlpha = alpha;
      context.fillText(text[at]!, left, y);
      left += fitter.width(context, text[at]!);
      at++;
    }
    context.globalAlpha = 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// The back end with a GPU. It draws into the lower canvas; lines, curves and
// the ruler are in the upper one.
import { rowsIn } from "../model/layout.ts";
import type { Tile } from "../model/records.ts";
import type { Backend } from "./backend.ts";
import { GlBoxes } from "./gl_boxes.ts";
import { isSoftware, type Gl } from "./gl_program.ts";
import { GlText } from "./gl_text.ts";
import type { NameStore } from "./names.ts";
import type { Paints } from "./paints.ts";
import { RULER_HEIGHT, type RendererChoice } from "./protocol.ts";
import type { Backdrop } from "./scan.ts";
import type { Scene } from "./scene.ts";

/** The first frames are timed; slower ones than this are left to the CPU. */
const TIMED_FRAMES = 5;
const SLOW_MS = 12;

export class GlBackend implements Backend {
  readonly name = "gl";
  readonly spent = { raster: 0, copy: 0, text: 0 };
  private readonly gl: Gl;
  private readonly canvas: OffscreenCanvas;
  private readonly rects: GlBoxes;
  private readonly text: GlText;
  private readonly times: number[] = [];
  private readonly timed: boolean;

  private constructor(gl: Gl, canvas: OffscreenCanvas, timed: boolean) {
    this.gl = gl;
    this.canvas = canvas;
    this.timed = timed;
    this.rects = new GlBoxes(gl);
    this.text = new GlText(gl);
  }

  /** Null where there is no WebGL2, or only one that the CPU draws. */
  static make(canvas: OffscreenCanvas, choice: RendererChoice)
    : GlBackend | null {
    if (choice === "scan") return null;
    const gl = canvas.getContext("webgl2",
      { alpha: false, antialias: false, depth: false });
    if (!gl || (choice === "auto" && isSoftware(gl))) return null;
    try {
      return new GlBackend(gl, canvas, choice === "auto");
    } catch {
      return null;
    }
  }

  get boxes(): number {
    return this.rects.boxes;
  }
  get unfinished(): boolean {
    return this.text.unfinished;
  }
  get lost(): boolean {
    return this.gl.isContextLost();
  }
  get tooSlow(): boolean {
    if (this.times.length < TIMED_FRAMES) return false;
    const sorted = [...this.times].sort((a, b) => a - b);
    return sorted[TIMED_FRAMES >> 1]! > SLOW_MS;
  }
  resize(width: number, height: number): void {
    if (this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
  }
  forget(tile: Tile): void {
    this.rects.forget(tile);
  }

  private clear(colour: number, x: number, y: number, width: number,
    height: number): void {
    const { gl } = this;
    gl.scissor(x, this.canvas.height - y - height, width, height);
    gl.clearColor((colour & 255) / 255, ((colour >> 8) & 255) / 255,
      ((colour >> 16) & 255) / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  private drawGround(scene: Scene, paints: Paints, backdrop: Backdrop,
    ratio: number): void {
    const { gl } = this;
    const { width, height } = this.canvas;
    const top = Math.round(RULER_HEIGHT * ratio);
    const { scroll } = scene.view;
    gl.enable(gl.SCISSOR_TEST);
    this.clear(paints.page, 0, 0, width, height);
    for (const x of backdrop.grid)
      this.clear(paints.grid, x, top, 1, height - top);
    for (const x of backdrop.steps)
      this.clear(paints.step, x, top, 1, height - top);
    for (const row of rowsIn(scene.layout, scroll, (height - top) / ratio)) {
      const y0 = Math.round((row.y - scroll) * ratio) + top;
      const y1 = Math.round((row.y + row.height - scroll) * ratio) + top;
      if (row.type === "group")
        this.clear(paints.group, 0, Math.max(top, y0), width,
          Math.max(0, y1 - Math.max(top, y0)));
      if (y1 > top) this.clear(paints.line, 0, y1 - 1, width, 1);
    }
    gl.disable(gl.SCISSOR_TEST);
  }

  draw(scene: Scene, paints: Paints, backdrop: Backdrop, ratio: number,
    name: number | null, names: NameStore): void {
    const { gl, canvas } = this;
    const started = performance.now();
    gl.viewport(0, 0, canvas.width, canvas.height);
    this.drawGround(scene, paints, backdrop, ratio);
    this.rects.draw(scene, paints, ratio, canvas.width, canvas.height, name);
    this.text.draw(scene, paints, ratio, canvas.width, canvas.height, names);
    if (!this.timed || this.times.length >= TIMED_FRAMES) return;
    gl.finish();
    this.times.push(performance.now() - started);
  }
}

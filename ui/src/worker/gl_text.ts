// SPDX-License-Identifier: Apache-2.0
//
// Names by WebGL2: each is drawn once into an atlas, then a label is one quad.
import {
  makeProgram, makeTexture, TEXT_FRAGMENT, TEXT_VERTEX, type Gl,
} from "./gl_program.ts";
import type { NameStore } from "./names.ts";
import { labelsOf } from "./labels.ts";
import { rgbOf } from "../model/palette.ts";
import type { Paints } from "./paints.ts";
import { RULER_HEIGHT } from "./protocol.ts";
import type { Scene } from "./scene.ts";
import { BOX_FONT } from "./text.ts";

const ATLAS = 2048;
/** Height and longest width of a name, in CSS pixels. */
const LINE = 16;
const LONGEST = 420;
const PADDING = 4;
/** New names in one frame; the others come with the next ones. */
const MOST_NEW = 40;
const FLOATS = 5;

interface Strip {
  x: number;
  y: number;
  width: number;
}

export class GlText {
  /** True when some names were left for the next frame. */
  unfinished = false;
  private readonly gl: Gl;
  private readonly program: WebGLProgram;
  private readonly atlas: WebGLTexture;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  private readonly pen: OffscreenCanvasRenderingContext2D;
  private readonly strips = new Map<number, Strip>();
  private vertices = new Float32Array(4096 * 6 * FLOATS);
  private ratio = 0;
  private nextX = 0;
  private nextY = 0;

  constructor(gl: Gl) {
    this.gl = gl;
    this.program = makeProgram(gl, TEXT_VERTEX, TEXT_FRAGMENT);
    this.atlas = makeTexture(gl);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R8, ATLAS, ATLAS);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [place, size, offset] of [[0, 2, 0], [1, 2, 8], [2, 1, 16]]) {
      gl.enableVertexAttribArray(place!);
      gl.vertexAttribPointer(place!, size!, gl.FLOAT, false, FLOATS * 4,
        offset!);
    }
    gl.bindVertexArray(null);
    const canvas = new OffscreenCanvas(8, 8);
    this.pen = canvas.getContext("2d", { willReadFrequently: true })!;
  }

  private setRatio(ratio: number): void {
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.empty();
    this.pen.canvas.width = Math.ceil(LONGEST * ratio);
    this.pen.canvas.height = Math.ceil(LINE * ratio);
  }
  private empty(): void {
    this.strips.clear();
    this.nextX = this.nextY = 0;
  }

  private strip(id: number, text: string): Strip {
    const { gl, pen, ratio } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, LONGEST, LINE);
    pen.font = BOX_FONT;
    pen.textBaseline = "middle";
    pen.fillStyle = "white";
    pen.fillText(text, 0, LINE / 2 + 0.5);
    const width = Math.min(pen.canvas.width,
      Math.ceil((pen.measureText(text).width + 1) * ratio));
    const height = pen.canvas.height;
    if (this.nextX + width > ATLAS) {
      this.nextX = 0;
      this.nextY += height;
    }
    // Full: begin anew; what is seen comes back within a few frames.
    if (this.nextY + height > ATLAS) this.empty();
    const { data } = pen.getImageData(0, 0, width, height);
    const ink = new Uint8Array(width * height);
    for (let n = 0; n < ink.length; n++) ink[n] = data[n * 4 + 3]!;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.bindTexture(gl.TEXTURE_2D, this.atlas);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, this.nextX, this.nextY, width, height,
      gl.RED, gl.UNSIGNED_BYTE, ink);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    const strip = { x: this.nextX, y: this.nextY, width };
    this.strips.set(id, strip);
    this.nextX += width;
    return strip;
  }

  draw(scene: Scene, paints: Paints, ratio: number, width: number,
    height: number, names: NameStore): void {
    const { gl } = this;
    this.setRatio(ratio);
    this.unfinished = false;
    gl.activeTexture(gl.TEXTURE0);
    const count = this.collect(scene, ratio, names);
    if (count === 0) return;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER,
      this.vertices.subarray(0, count * 6 * FLOATS), gl.STREAM_DRAW);
    const place = (name: string) =>
      gl.getUniformLocation(this.program, name);
    const [r, g, b] = rgbOf(paints.css.text);
    gl.uniform2f(place("u_size"), width, height);
    gl.uniform3f(place("u_colour"), r / 255, g / 255, b / 255);
    gl.uniform1f(place("u_fade"), 10 * ratio);
    gl.uniform1i(place("u_atlas"), 0);
    gl.bindTexture(gl.TEXTURE_2D, this.atlas);
    const top = Math.round(RULER_HEIGHT * ratio);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(0, 0, width, height - top);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.drawArrays(gl.TRIANGLES, 0, count * 6);
    gl.disable(gl.BLEND);
    gl.disable(gl.SCISSOR_TEST);
  }

  private collect(scene: Scene, ratio: number, names: NameStore): number {
    const { view } = scene;
    let count = 0;
    let fresh = 0;
    for (const track of scene.tracks)
      labelsOf(track, view, (label) => {
        const top = label.y - view.scroll + RULER_HEIGHT;
        if (top + label.height < RULER_HEIGHT || top > view.height) return;
        const text = names.get(label.name)?.short;
        if (!text) return;
        let strip = this.strips.get(label.name);
        if (!strip) {
          if (fresh++ >= MOST_NEW) {
            this.unfinished = true;
            return;
          }
          strip = this.strip(label.name, text);
        }
        this.quad(count++, strip, label, top, ratio);
      });
    return count;
  }

  private quad(n: number, strip: Strip, label: { x0: number; x1: number;
    height: number; }, top: number, ratio: number): void {
    if ((n + 1) * 6 * FLOATS > this.vertices.length) {
      const more = new Float32Array(this.vertices.length * 2);
      more.set(this.vertices);
      this.vertices = more;
    }
    const left = Math.round((label.x0 + PADDING) * ratio);
    const room = Math.round((label.x1 - PADDING / 2) * ratio) - left;
    const wide = Math.max(0, Math.min(strip.width, room));
    // A text with room to spare has its end far from where it would fade.
    const right = strip.width <= room ? left + wide + 1e4 : left + wide;
    const high = Math.ceil(LINE * ratio);
    const y = Math.round((top + (label.height - LINE) / 2) * ratio);
    const at = n * 6 * FLOATS;
    const corners = [[0, 0], [1, 0], [0, 1], [0, 1], [1, 0], [1, 1]] as const;
    corners.forEach(([dx, dy], i) => {
      this.vertices.set([left + dx * wide, y + dy * high,
        strip.x + dx * wide, strip.y + dy * high, right], at + i * FLOATS);
    });
  }
}

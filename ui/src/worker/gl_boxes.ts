// SPDX-License-Identifier: Apache-2.0
//
// Boxes by WebGL2: tiles are textures, a draw call is a tile.
import type { Tile } from "../model/records.ts";
import { UNITS } from "../model/records.ts";
import { tileLength } from "../model/tiles.ts";
import {
  BOX_FRAGMENT, BOX_VERTEX, makeProgram, makeTexture, padded, SLOTS,
  TEXTURE_WIDTH, type Gl,
} from "./gl_program.ts";
import type { Paints } from "./paints.ts";
import { RULER_HEIGHT } from "./protocol.ts";
import type { Scene } from "./scene.ts";

/** Quads in one draw call. */
const QUADS = 16384;

interface Group {
  tile: Tile;
  t0: number;
  t1: number;
  slots: Float32Array;
}

/** Pieces of one tile and one range are drawn together. */
function groupPieces(scene: Scene, ratio: number, top: number)
  : Group[] {
  const groups = new Map<string, Group>();
  const numbers = new Map<Tile, number>();
  for (const { row, pieces } of scene.tracks)
    for (const { tile, slot, t0, t1 } of pieces) {
      if (slot < 0 || tile.count === 0) continue;
      if (!numbers.has(tile)) numbers.set(tile, numbers.size);
      const key = `${numbers.get(tile)}/${t0}`;
      let group = groups.get(key);
      if (!group) {
        group = { tile, t0, t1, slots: new Float32Array(SLOTS * 4) };
        groups.set(key, group);
      }
      group.slots.set([
        (row.y + row.top - scene.view.scroll) * ratio + top,
        row.laneHeight * ratio, row.boxHeight * ratio, row.lanes], slot * 4);
    }
  return [...groups.values()];
}

export class GlBoxes {
  boxes = 0;
  private readonly gl: Gl;
  private readonly program: WebGLProgram;
  private readonly at: (name: string) => WebGLUniformLocation | null;
  private readonly tiles = new Map<Tile, WebGLTexture>();
  private readonly names = new Map<Uint32Array, WebGLTexture>();
  private readonly users = new Map<Uint32Array, number>();
  private readonly slots: WebGLTexture;
  private readonly paints: WebGLTexture;
  private readonly array: WebGLVertexArrayObject;
  private painted: Paints | null = null;

  constructor(gl: Gl) {
    this.gl = gl;
    this.program = makeProgram(gl, BOX_VERTEX, BOX_FRAGMENT);
    const places = new Map<string, WebGLUniformLocation | null>();
    this.at = (name) => {
      if (!places.has(name))
        places.set(name, gl.getUniformLocation(this.program, name));
      return places.get(name)!;
    };
    this.slots = makeTexture(gl);
    this.paints = makeTexture(gl);
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    const indices = new Uint32Array(QUADS * 6);
    for (let n = 0; n < QUADS; n++)
      indices.set([0, 1, 2, 2, 1, 3].map((i) => n * 4 + i), n * 6);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  private upload(values: Uint32Array, perTexel: 1 | 4): WebGLTexture {
    const { gl } = this;
    const texture = makeTexture(gl);
    const { rows, data } = padded(values, perTexel);
    gl.texImage2D(gl.TEXTURE_2D, 0, perTexel === 4 ? gl.RGBA32UI : gl.R32UI,
      TEXTURE_WIDTH, rows, 0,
      perTexel === 4 ? gl.RGBA_INTEGER : gl.RED_INTEGER, gl.UNSIGNED_INT,
      data);
    return texture;
  }

  private textureOf(tile: Tile): WebGLTexture {
    let texture = this.tiles.get(tile);
    if (!texture) {
      texture = this.upload(tile.u32, 4);
      this.tiles.set(tile, texture);
      this.users.set(tile.names, (this.users.get(tile.names) ?? 0) + 1);
    }
    if (!this.names.has(tile.names))
      this.names.set(tile.names, this.upload(tile.names, 1));
    return texture;
  }

  forget(tile: Tile): void {
    const texture = this.tiles.get(tile);
    if (!texture) return;
    this.gl.deleteTexture(texture);
    this.tiles.delete(tile);
    const left = (this.users.get(tile.names) ?? 1) - 1;
    this.users.set(tile.names, left);
    if (left > 0) return;
    this.gl.deleteTexture(this.names.get(tile.names)!);
    this.names.delete(tile.names);
    this.users.delete(tile.names);
  }

  private setPaints(paints: Paints): void {
    if (this.painted === paints) return;
    this.painted = paints;
    // Two rows, boxes and tints; behind the boxes the hatch of mixed marks.
    const data = new Uint32Array(128 * 2);
    data.set(paints.box);
    data.set(paints.tint, 128);
    data[96] = paints.hatch;
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.paints);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 128, 2, 0, gl.RGBA,
      gl.UNSIGNED_BYTE, new Uint8Array(data.buffer));
  }

  draw(scene: Scene, paints: Paints, ratio: number, width: number,
    height: number, name: number | null): void {
    const { gl, at } = this;
    this.boxes = 0;
    this.setPaints(paints);
    const top = Math.round(RULER_HEIGHT * ratio);
    const { view } = scene;
    const scale = width / (view.t1 - view.t0);
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.uniform1i(at("u_records"), 0);
    gl.uniform1i(at("u_names"), 1);
    gl.uniform1i(at("u_slots"), 2);
    gl.uniform1i(at("u_paints"), 3);
    gl.uniform2f(at("u_size"), width, height);
    gl.uniform1ui(at("u_highlight"), name ?? 0);
    gl.uniform1i(at("u_dims"), name === null ? 0 : 1);
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.paints);
    gl.enable(gl.SCISSOR_TEST);
    for (const group of groupPieces(scene, ratio, top)) {
      const { tile } = group;
      const x0 = Math.max(0, Math.round((group.t0 - view.t0) * scale));
      const x1 = Math.min(width, Math.round((group.t1 - view.t0) * scale));
      if (x1 <= x0) continue;
      gl.scissor(x0, 0, x1 - x0, height - top);
      const texture = this.textureOf(tile);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, this.names.get(tile.names)!);
      gl.activeTexture(gl.TEXTURE2);
      gl.bindTexture(gl.TEXTURE_2D, this.slots);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, SLOTS, 1, 0, gl.RGBA,
        gl.FLOAT, group.slots);
      const length = tileLength(tile.k);
      gl.uniform1f(at("u_shift"), (tile.i * length - view.t0) * scale);
      gl.uniform1f(at("u_scale"), (length / UNITS) * scale);
      for (let first = 0; first < tile.count; first += QUADS) {
        gl.uniform1i(at("u_first"), first);
        gl.drawElements(gl.TRIANGLES,
          Math.min(QUADS, tile.count - first) * 6, gl.UNSIGNED_INT, 0);
      }
      this.boxes += tile.count;
    }
    gl.disable(gl.SCISSOR_TEST);
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// Draws the memory of a place: areas of its groups over time, and below them
// its allocations in time and address.
import type {
  CounterSeries, MemoryArea, MemoryMapInfo,
} from "../../generated/answers.ts";
import { ticksOf, timeToX, type Range } from "../../model/axis.ts";
import { formatBytes, formatTick } from "../../model/format.ts";
import {
  boxOf, hueOfGroup, orderOf, runOf, stackOf, topOf, type Boxes,
} from "../../model/memory_map.ts";
import { groundOf, hueOf, rgbOf, type ThemeName } from "../../model/palette.ts";

export const LEFT = 66;
export const AREA = 190;
export const AXIS = 22;
export const MAP = 300;
export const HEIGHT = AREA + AXIS + MAP;

export interface Picture {
  width: number;
  range: Range;
  addresses: Range;
  theme: ThemeName;
  place: MemoryMapInfo;
  area: MemoryArea | null;
  reserved: CounterSeries | null;
  boxes: Boxes | null;
  steps: number[];
  /** Of the instants that were chosen. */
  instants: number[];
  chosen: number | null;
}

export function colourOf(group: number, groups: number, theme: ThemeName)
  : string {
  const { hue, pale } = hueOfGroup(group, groups);
  if (!pale) return hueOf(hue, theme);
  const over = rgbOf(hueOf(hue, theme));
  const under = rgbOf(groundOf("canvas", theme));
  const mixed = over.map((value, i) => Math.round(0.5 * (value + under[i]!)));
  return `rgb(${mixed.join(" ")})`;
}

function bytesTicks(top: number): number[] {
  let step = 1;
  while (top / step > 5) step *= 2;
  return Array.from({ length: Math.floor(top / step) }, (_, i) =>
    (i + 1) * step);
}

class Painter {
  readonly c: CanvasRenderingContext2D;
  readonly p: Picture;
  readonly top: number;
  constructor(c: CanvasRenderingContext2D, p: Picture) {
    this.c = c;
    this.p = p;
    this.top = topOf(p.area, p.reserved);
  }

  x(time: number): number {
    return LEFT + timeToX(this.p.range, this.p.width - LEFT, time);
  }
  y(bytes: number): number {
    return AREA - (bytes / this.top) * (AREA - 8);
  }
  mapY(address: number): number {
    const { t0, t1 } = this.p.addresses;
    return HEIGHT - ((address - t0) / (t1 - t0)) * MAP;
  }
  ground(key: Parameters<typeof groundOf>[0]): string {
    return groundOf(key, this.p.theme);
  }
  colour(group: number): string {
    return colourOf(group, this.p.area?.groups.length ?? 2, this.p.theme);
  }

  grid(): void {
    const { c, p } = this;
    c.fillStyle = this.ground("canvas");
    c.fillRect(0, 0, p.width, HEIGHT);
    c.font = "11px Inter, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "right";
    for (const bytes of bytesTicks(this.top)) {
      const y = Math.round(this.y(bytes)) + 0.5;
      c.fillStyle = this.ground("canvas-grid");
      c.fillRect(LEFT, y, p.width - LEFT, 1);
      c.fillStyle = this.ground("text-3");
      c.fillText(formatBytes(bytes), LEFT - 8, y);
    }
    const { step, times } = ticksOf(p.range, p.width - LEFT);
    c.textAlign = "center";
    for (const time of times) {
      const x = Math.round(this.x(time));
      c.fillStyle = this.ground("canvas-grid");
      c.fillRect(x, 0, 1, AREA);
      c.fillRect(x, AREA + AXIS, 1, MAP);
      c.fillStyle = this.ground("text-3");
      if (x > LEFT + 20 && x < p.width - 24)
        c.fillText(formatTick(time, step), x, AREA + AXIS / 2);
    }
    c.save();
    c.translate(14, AREA + AXIS + MAP / 2);
    c.rotate(-Math.PI / 2);
    c.fillText("address", 0, 0);
    c.restore();
  }

  areas(): void {
    const { c, p } = this;
    if (!p.area || p.area.t.length === 0) return;
    const { t } = p.area;
    const order = orderOf(p.area);
    const stack = stackOf(p.area, order);
    const end = Math.min(p.width, this.x(p.range.t1));
    order.forEach((group, n) => {
      const upper = stack[n]!;
      const lower = stack[n - 1];
      if (p.area!.held[group]!.every((bytes) => bytes === 0)) return;
      c.beginPath();
      c.moveTo(this.x(t[0]!), this.y(lower?.[0] ?? 0));
      t.forEach((time, i) => {
        const y = this.y(upper[i]!);
        c.lineTo(this.x(time), y);
        c.lineTo(i + 1 < t.length ? this.x(t[i + 1]!) : end, y);
      });
      for (let i = t.length - 1; i >= 0; i--) {
        const y = this.y(lower?.[i] ?? 0);
        c.lineTo(i + 1 < t.length ? this.x(t[i + 1]!) : end, y);
        c.lineTo(this.x(t[i]!), y);
      }
      c.closePath();
      c.fillStyle = this.colour(group);
      c.fill();
    });
  }

  reserved(): void {
    const { c, p } = this;
    if (!p.reserved || p.reserved.t.length === 0) return;
    const { t, max } = p.reserved;
    c.beginPath();
    t.forEach((time, i) => {
      const y = this.y(max[i] ?? 0);
      if (i === 0) c.moveTo(this.x(time), y);
      else c.lineTo(this.x(time), y);
      c.lineTo(i + 1 < t.length ? this.x(t[i + 1]!) : p.width, y);
    });
    c.setLineDash([4, 3]);
    c.strokeStyle = this.ground("text-2");
    c.lineWidth = 1.25;
    c.stroke();
    c.setLineDash([]);
  }

  boxes(): void {
    const { c, p } = this;
    if (!p.boxes) return;
    for (let i = 0; i < p.boxes.runs; i++) {
      const run = runOf(p.boxes, i);
      const x = this.x(run.t0);
      const y = this.mapY(run.high);
      c.globalAlpha = 0.25 + 0.75 * run.share;
      c.fillStyle = this.colour(run.group);
      c.fillRect(x, y, Math.max(1, this.x(run.t1) - x),
        Math.max(1, this.mapY(run.low) - y));
    }
    c.globalAlpha = 1;
    const edge = this.ground("canvas");
    for (let i = 0; i < p.boxes.boxes; i++) {
      const box = boxOf(p.boxes, i, p.place.unit);
      const x = Math.max(LEFT - 1, this.x(box.begin));
      const y = this.mapY(box.high);
      const width = Math.min(p.width + 1, this.x(box.end)) - x;
      const height = this.mapY(box.low) - y;
      c.fillStyle = this.colour(box.group);
      c.fillRect(x, y, Math.max(1, width), Math.max(1, height));
      if (width > 5 && height > 4) {
        c.strokeStyle = edge;
        c.lineWidth = 1;
        c.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
      }
      if (box.id !== p.chosen) continue;
      c.strokeStyle = this.ground("canvas-chosen");
      c.lineWidth = 2;
      c.strokeRect(x, y, Math.max(3, width), Math.max(3, height));
    }
  }

  /** What lies between segments is not there: a line says so. */
  segments(): void {
    const { c, p } = this;
    const MOST = 40;
    if (p.place.ranges.length > MOST) return;
    c.fillStyle = this.ground("canvas-line");
    for (const [at] of p.place.ranges.slice(1))
      if (at > p.addresses.t0 && at < p.addresses.t1)
        c.fillRect(LEFT, Math.round(this.mapY(at)), p.width - LEFT, 1);
  }

  lines(): void {
    const { c, p } = this;
    c.fillStyle = this.ground("canvas-step");
    for (const time of p.steps) {
      const x = Math.round(this.x(time));
      c.fillRect(x, 0, 1, AREA);
      c.fillRect(x, AREA + AXIS, 1, MAP);
    }
    p.instants.forEach((time, i) => {
      const x = Math.round(this.x(time));
      if (x < LEFT || x > p.width) return;
      c.fillStyle = this.ground("accent");
      c.fillRect(x - 1, 0, 2, HEIGHT);
      c.beginPath();
      // The letter stays inside where the line is at an edge.
      const middle = Math.min(Math.max(x, LEFT + 9), p.width - 9);
      c.arc(middle, 9, 8, 0, 2 * Math.PI);
      c.fill();
      c.fillStyle = this.ground("on-accent");
      c.textAlign = "center";
      c.fillText("AB"[i]!, middle, 9.5);
    });
  }
}

export function draw(canvas: HTMLCanvasElement, picture: Picture): void {
  const scale = devicePixelRatio || 1;
  const [width, height] = [picture.width, HEIGHT].map((size) =>
    Math.round(size * scale));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width!;
    canvas.height = height!;
  }
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const painter = new Painter(context, picture);
  painter.grid();
  context.save();
  context.beginPath();
  context.rect(LEFT, 0, picture.width - LEFT, AREA);
  context.clip();
  painter.areas();
  painter.reserved();
  context.restore();
  context.save();
  context.beginPath();
  context.rect(LEFT, AREA + AXIS, picture.width - LEFT, MAP);
  context.clip();
  painter.boxes();
  painter.segments();
  context.restore();
  context.save();
  context.beginPath();
  context.rect(LEFT, 0, picture.width - LEFT, HEIGHT);
  context.clip();
  painter.lines();
  context.restore();
}

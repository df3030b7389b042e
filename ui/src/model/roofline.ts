// SPDX-License-Identifier: Apache-2.0
//
// A roofline: operations per byte against operations per second, both by
// powers of ten, below what memory and arithmetic of a device allow. Geometry
// of figures that the server has; places are shares of the picture. Pure.
import type { OperatorFlops, StepFlops } from "../generated/answers.ts";

export interface RoofPoint {
  name: string;
  row: OperatorFlops;
  x: number;
  y: number;
  /** Of the area: by time. */
  size: number;
}
interface Tick {
  at: number;
  value: number;
}
export interface Roofline {
  points: RoofPoint[];
  /** Along the roof, from the left; empty: no peak is stated. */
  roof: { x: number; y: number }[];
  xTicks: Tick[];
  yTicks: Tick[];
}

class Scale {
  readonly low: number;
  readonly high: number;
  constructor(values: number[]) {
    this.low = Math.floor(Math.log10(Math.min(...values)));
    this.high = Math.max(this.low + 1,
      Math.ceil(Math.log10(Math.max(...values))));
  }
  at(value: number): number {
    return (Math.log10(value) - this.low) / (this.high - this.low);
  }
  ticks(): Tick[] {
    return Array.from({ length: this.high - this.low + 1 }, (_, i) => {
      const value = 10 ** (this.low + i);
      return { value, at: this.at(value) };
    });
  }
}

/** FLOP per byte: measured where counters tell, else estimated; 0: unknown. */
export const intensityOf = (row: OperatorFlops): number =>
  row.measured_intensity ?? row.intensity ?? 0;

/** Null: no operator of a device has both figures. */
export function rooflineOf(rows: OperatorFlops[],
  peaks: Pick<StepFlops, "peak_tflops_per_s" | "peak_memory_gb_per_s">)
  : Roofline | null {
  const known = rows.filter((row) => row.on_device &&
    intensityOf(row) > 0 && row.tflops_per_s > 0);
  if (known.length === 0) return null;
  const flops = peaks.peak_tflops_per_s;
  const memory = peaks.peak_memory_gb_per_s;
  // From here on arithmetic is the limit: FLOP per byte.
  const ridge = flops && memory ? flops / memory * 1e3 : null;
  const x = new Scale([...known.map(intensityOf),
    ...ridge ? [ridge] : []]);
  const y = new Scale([...known.map((row) => row.tflops_per_s),
    ...flops ? [flops] : []]);
  const longest = Math.max(...known.map((row) => row.time_ns), 1);
  const slope = (intensity: number) => intensity * memory! / 1e3;
  const left = memory ? Math.max(10 ** x.low, 10 ** y.low / memory * 1e3)
    : 10 ** x.low;
  const roof = !flops && !memory ? [] : [
    ...memory ? [[left, slope(left)]] : [[left, flops!]],
    ...ridge ? [[ridge, flops!]] : [],
    flops ? [10 ** x.high, flops]
      : [Math.min(10 ** x.high, 10 ** y.high / memory! * 1e3),
        Math.min(slope(10 ** x.high), 10 ** y.high)],
  ];
  return {
    points: known.map((row) => ({ name: row.name, row,
      x: x.at(intensityOf(row)), y: y.at(row.tflops_per_s),
      size: row.time_ns / longest })),
    roof: roof.map(([px, py]) => ({ x: x.at(px!), y: y.at(py!) })),
    xTicks: x.ticks(), yTicks: y.ticks(),
  };
}

interface Label {
  name: string;
  x: number;
  y: number;
}
/** Pixels of a letter, and of a line. */
const LETTER = 6.2;
const LINE = 13;

/** Names beside their circles, the first first, as far as there is room. */
export function labelsOf(circles: (Label & { radius: number })[],
  right: number): Label[] {
  const taken = circles.map(({ x, y, radius }) => ({ left: x - radius,
    right: x + radius, top: y - radius, bottom: y + radius }));
  return circles.flatMap(({ name, x, y, radius }, own) => {
    const long = name.length * LETTER;
    for (const left of [x + radius + 4, x - radius - 4 - long]) {
      const box = { left, right: left + long, top: y - LINE / 2,
        bottom: y + LINE / 2 };
      const free = left >= 0 && box.right <= right &&
        taken.every((one, at) => at === own || one.right <= box.left ||
          one.left >= box.right || one.bottom <= box.top ||
          one.top >= box.bottom);
      if (!free) continue;
      taken.push(box);
      return [{ name, x: left, y: y + 4 }];
    }
    return [];
  });
}

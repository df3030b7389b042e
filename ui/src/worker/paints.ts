// SPDX-License-Identifier: Apache-2.0
//
// The theme as numbers that a back end writes into pixels.
import { CLASSES, GROUNDS, type Hue } from "../generated/looks.ts";
import {
  groundOf, hueOf, lookOf, rgbOf, SHADES, shadesOf, type ThemeName,
} from "../model/palette.ts";

export interface Paints {
  theme: ThemeName;
  page: number;
  group: number;
  line: number;
  grid: number;
  step: number;
  /** [class * SHADES + shade]: a box, and the tint of a mark. */
  box: Uint32Array;
  tint: Uint32Array;
  /** Lines over marks in which no name has half of the time. */
  hatch: number;
  css: {
    text: string;
    text2: string;
    text3: string;
    accent: string;
    select: string;
    line: string;
    card: string;
    arrow: string;
    page: string;
  };
}

/** 0xRRGGBB as a pixel in memory order R, G, B, A. */
export const pixel = (rgb: number) =>
  (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >>> 16)) >>> 0;

const number = (hex: string) => Number.parseInt(hex.slice(1), 16);

function over(rgb: number, under: number, share: number): number {
  let out = 0;
  for (const shift of [16, 8, 0]) {
    const a = (rgb >> shift) & 255;
    const b = (under >> shift) & 255;
    out |= Math.round(a * share + b * (1 - share)) << shift;
  }
  return out;
}

/** Which shade a name has. */
export const shadeOf = (name: number) =>
  (Math.imul(name + 1, 0x9e3779b1) >>> 8) % SHADES;

export function makePaints(theme: ThemeName, classes: string[]): Paints {
  const dark = theme === "dark";
  const css = (key: keyof typeof GROUNDS) => groundOf(key, theme);
  const ground = (key: keyof typeof GROUNDS) => pixel(number(css(key)));
  const page = number(css("canvas"));
  const box = new Uint32Array(32 * SHADES);
  const tint = new Uint32Array(32 * SHADES);
  for (let n = 0; n < 32; n++) {
    const shades = shadesOf(lookOf(CLASSES, classes[n] ?? "").hue, theme);
    shades.forEach((rgb, s) => {
      box[n * SHADES + s] = pixel(rgb);
      tint[n * SHADES + s] = pixel(over(rgb, page, dark ? 0.3 : 0.28));
    });
  }
  const grey = number(hueOf("unexplained", theme));
  return {
    theme, box, tint,
    page: pixel(page),
    group: ground("canvas-group"),
    line: ground("canvas-line"),
    grid: ground("canvas-grid"),
    step: ground("canvas-step"),
    hatch: pixel(over(grey, page, 0.7)),
    css: {
      text: css("canvas-text"),
      text2: css("text-2"),
      text3: css("text-3"),
      accent: css("accent"),
      select: css("canvas-chosen"),
      line: css("line"),
      card: css("card"),
      arrow: css("warn"),
      page: css("canvas"),
    },
  };
}

export function cssOf(hue: Hue, theme: ThemeName, alpha = 1): string {
  const [r, g, b] = rgbOf(hueOf(hue, theme));
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

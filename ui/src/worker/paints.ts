// SPDX-License-Identifier: Apache-2.0
//
// The theme as numbers that a back end writes into pixels.
import {
  CANVAS, CLASS_COLOURS, colourKey, rgbOf, SHADES, shadesOf, type ThemeName,
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
  const page = number(CANVAS[theme].page);
  const box = new Uint32Array(32 * SHADES);
  const tint = new Uint32Array(32 * SHADES);
  for (let n = 0; n < 32; n++) {
    const shades = shadesOf(colourKey(classes[n] ?? ""), theme);
    shades.forEach((rgb, s) => {
      box[n * SHADES + s] = pixel(rgb);
      tint[n * SHADES + s] = pixel(over(rgb, page, dark ? 0.3 : 0.28));
    });
  }
  const grey = number(CLASS_COLOURS["unexplained"]![dark ? 1 : 0]);
  return {
    theme, box, tint,
    page: pixel(page),
    group: pixel(dark ? 0x1a2029 : 0xf1f3f6),
    line: pixel(dark ? 0x222933 : 0xe3e6eb),
    grid: pixel(dark ? 0x191f27 : 0xf0f2f5),
    step: pixel(dark ? 0x3a4452 : 0xc3cad3),
    hatch: pixel(over(grey, page, 0.7)),
    css: {
      text: CANVAS[theme].text,
      text2: dark ? "#a3adba" : "#566070",
      text3: dark ? "#8590a0" : "#656e7b",
      accent: dark ? "#6db7f2" : "#0b62b0",
      select: dark ? "#ffffff" : "#15191f",
      line: dark ? "#272e39" : "#e3e6eb",
      card: dark ? "#151920" : "#ffffff",
      arrow: dark ? "#fccf79" : "#8a5a00",
      page: CANVAS[theme].page,
    },
  };
}

export function cssOf(key: string, theme: ThemeName, alpha = 1): string {
  const [r, g, b] = rgbOf((CLASS_COLOURS[key] ??
    CLASS_COLOURS["unexplained"]!)[theme === "light" ? 0 : 1]);
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

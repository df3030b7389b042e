// SPDX-License-Identifier: Apache-2.0
//
// Words and colours by what the server calls a thing, and the colours of boxes.
// Colour never stands alone (legend, tooltip, hatch). Pure.
import { GROUNDS, HUES, type Hue, type Look } from "../generated/looks.ts";

export type ThemeName = "light" | "dark";
const AT = { light: 0, dark: 1 } as const;

export const groundOf = (key: keyof typeof GROUNDS, theme: ThemeName) =>
  GROUNDS[key][AT[theme]];
export const hueOf = (key: Hue, theme: ThemeName) => HUES[key][AT[theme]];

/** What is not declared has its own name. */
export const lookOf = (looks: Record<string, Look>, name: string): Look =>
  looks[name] ?? { title: name, hue: "unexplained" };

/** A hue as a style's colour. */
export const cssVar = (hue: Hue) => `var(--c-${hue})`;

export function rgbOf(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function mix(over: string, under: string, share: number): number[] {
  const a = rgbOf(over);
  const b = rgbOf(under);
  return a.map((value, i) => Math.round(value * share + b[i]! * (1 - share)));
}

// Pale hues carry light text only when they are held back on dark ground.
const HELD_BACK = new Set<Hue>(["operator", "user", "python", "stage"]);

/** How many shades of a class tell its names apart. */
export const SHADES = 3;

/** Box colours of a class as 0xRRGGBB: one for each shade. */
export function shadesOf(key: Hue, theme: ThemeName): number[] {
  const colour = hueOf(key, theme);
  const under = groundOf("canvas", theme);
  const [from, to] =
    theme === "light" ? [0.42, 0.62]
      : HELD_BACK.has(key) ? [0.36, 0.48] : [0.5, 0.66];
  return Array.from({ length: SHADES }, (_, i) => {
    const share = from + ((to - from) * i) / (SHADES - 1);
    const [r, g, b] = mix(colour, under, share);
    return (r! << 16) | (g! << 8) | b!;
  });
}

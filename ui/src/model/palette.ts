// SPDX-License-Identifier: Apache-2.0
//
// Colours of event classes and of idle causes. The hues are told apart by all
// kinds of sight; colour never stands alone (legend, tooltip, hatch). Pure.
export type ThemeName = "light" | "dark";

/** Each colour's key; in CSS it is --c-KEY. */
export const CLASS_COLOURS: Record<string, [light: string, dark: string]> = {
  kernel: ["#2260b8", "#5490ee"],
  operator: ["#5fb98b", "#97e8ba"],
  runtime: ["#79818c", "#616976"],
  user: ["#dcd657", "#ccb81c"],
  copy: ["#86336a", "#de7994"],
  communication: ["#b32d08", "#9a3410"],
  python: ["#9fd7f5", "#6cc5f0"],
  stage: ["#3891ab", "#80d8f6"],
  "cpu-only": ["#e9a531", "#fccf79"],
  "launch-gap": ["#ad7743", "#b2681a"],
  input: ["#d9dc7f", "#b5af22"],
  sync: ["#3891ab", "#80d8f6"],
  unexplained: ["#b3b8bf", "#5f646b"],
};

export function classColours(theme: ThemeName): Record<string, string> {
  const at = theme === "light" ? 0 : 1;
  return Object.fromEntries(
    Object.entries(CLASS_COLOURS).map(([key, pair]) => [key, pair[at]]));
}

// A server's class → the colour's key. In this order: the first that fits.
const KEYS: [RegExp, string][] = [
  [/kernel/, "kernel"],
  [/^(mem)?(cpy|copy|set)|memcpy|memset|copy/, "copy"],
  [/comm|collective|nccl/, "communication"],
  [/python/, "python"],
  [/operator|op$|autograd/, "operator"],
  [/runtime|driver|launch|sync|overhead/, "runtime"],
  [/user|range|step|nvtx/, "user"],
  [/stage|forward|backward|optim|data|loader/, "stage"],
];

export function colourKey(className: string): string {
  const name = className.toLowerCase();
  return KEYS.find(([shape]) => shape.test(name))?.[1] ?? "unexplained";
}

const IDLE_KEYS: [RegExp, string][] = [
  [/launch/, "launch-gap"],
  [/input|data/, "input"],
  [/sync|host waits/, "sync"],
  [/cpu|host/, "cpu-only"],
  [/comm/, "communication"],
  [/copy/, "copy"],
];
export function idleKey(cause: string): string {
  const name = cause.toLowerCase();
  return IDLE_KEYS.find(([shape]) => shape.test(name))?.[1] ?? "unexplained";
}

export function rgbOf(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function mix(over: string, under: string, share: number): number[] {
  const a = rgbOf(over);
  const b = rgbOf(under);
  return a.map((value, i) => Math.round(value * share + b[i]! * (1 - share)));
}

export const CANVAS = {
  light: { page: "#ffffff", under: "#ffffff", text: "#15191f" },
  dark: { page: "#10141a", under: "#10141a", text: "#f0f3f6" },
} as const;

// Pale hues carry light text only when they are held back on dark ground.
const HELD_BACK = new Set(["operator", "user", "python", "stage"]);

/** How many shades of a class tell its names apart. */
export const SHADES = 3;

/** Box colours of a class as 0xRRGGBB: one for each shade. */
export function shadesOf(key: string, theme: ThemeName): number[] {
  const colour = (CLASS_COLOURS[key] ?? CLASS_COLOURS["unexplained"]!)[
    theme === "light" ? 0 : 1];
  const [from, to] =
    theme === "light" ? [0.42, 0.62]
      : HELD_BACK.has(key) ? [0.36, 0.48] : [0.5, 0.66];
  return Array.from({ length: SHADES }, (_, i) => {
    const share = from + ((to - from) * i) / (SHADES - 1);
    const [r, g, b] = mix(colour, CANVAS[theme].under, share);
    return (r! << 16) | (g! << 8) | b!;
  });
}

// SPDX-License-Identifier: Apache-2.0
//
// Light, dark, or as the system has it; kept for the next visit.
import { computed, effect, signal } from "@preact/signals";
import type { ThemeName } from "../model/palette.ts";

type ThemeChoice = "system" | "light" | "dark";
const KEY = "stepscope.theme";
const ORDER: ThemeChoice[] = ["system", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(system.matches);

function stored(): ThemeChoice {
  try {
    const text = localStorage.getItem(KEY);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system";
  }
}

export const themeChoice = signal<ThemeChoice>(stored());
export const theme = computed<ThemeName>(() =>
  themeChoice.value === "system"
    ? (systemDark.value ? "dark" : "light") : themeChoice.value);

export function nextTheme(): void {
  const at = ORDER.indexOf(themeChoice.value);
  themeChoice.value = ORDER[(at + 1) % ORDER.length]!;
  try {
    localStorage.setItem(KEY, themeChoice.value);
  } catch {
    // It holds for this page.
  }
}

export function startTheme(): void {
  system.addEventListener("change", () => {
    systemDark.value = system.matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}

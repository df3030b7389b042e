// SPDX-License-Identifier: Apache-2.0
//
// How high the timeline's rows are; kept for the next visit.
import { signal } from "@preact/signals";
import { isDensity, type Density } from "../model/density.ts";

const KEY = "stepscope.rows";

function stored(): Density {
  try {
    const text = localStorage.getItem(KEY);
    return isDensity(text) ? text : "normal";
  } catch {
    return "normal";
  }
}

export const keptDensity = signal<Density>(stored());

export function keepDensity(density: Density): void {
  keptDensity.value = density;
  try {
    localStorage.setItem(KEY, density);
  } catch {
    // It holds for this page.
  }
}

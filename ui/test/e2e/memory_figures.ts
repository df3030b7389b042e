// SPDX-License-Identifier: Apache-2.0
//
// For tests: what the server draws of memory is what `stepscope summary
// --format json` says.
import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import type {
  FlatTable, MemoryArea, MemoryMaps, Runs, SummaryDoc,
} from "../../src/generated/answers.ts";
import { programPath } from "./harness.ts";
import { ask } from "./tables.ts";

interface Peak {
  allocated_bytes: number;
  live: { owner: string; category: string; bytes: number;
    allocations: number; line: string | null }[];
}
type Doc = SummaryDoc & { memory_peak: Peak };

export const summaryOf = (path: string): Doc => JSON.parse(execFileSync(
  programPath, ["summary", path, "--views", "memory_peak,memory",
    "--format", "json"], { maxBuffer: 1 << 28, encoding: "utf8" })) as Doc;

/** Of this run, or of the only one. */
export async function windowOf(url: string, run?: string): Promise<string> {
  return (await ask<Runs>(url, "runs")).runs.find((one) =>
    run === undefined || one.name === run)!.workers[0]!.windows[0]!.t;
}

/** Places, areas by each way, and what was held at the peak. */
export async function expectFigures(url: string, t: string, doc: Doc)
  : Promise<void> {
  const { places } = await ask<MemoryMaps>(url, `memory?t=${t}`);
  expect(places.length).toBeGreaterThan(0);
  for (const place of places) {
    const stated = doc.memory.find((one) => one.place === place.place)!;
    expect(place.peak_bytes).toBe(stated.peak_allocated_bytes);
    for (const by of ["operator", "module", "line", "category"]) {
      const area = await ask<MemoryArea>(url, "memory_area?" +
        `t=${t}&place=${place.id}&by=${by}&px=300`);
      const columns = area.t.map((_, i) => area.held.reduce(
        (sum, held) => sum + held[i]!, 0));
      expect(Math.max(...columns)).toBe(stated.peak_allocated_bytes);
    }
  }
  const held = await ask<FlatTable>(url, "memory_held?" +
    `t=${t}&place=${places.find((place) =>
      place.peak_bytes === doc.memory_peak.allocated_bytes)!.id}`);
  const sums = new Map<string, number>();
  for (const [owner, bytes, , category, , line] of held.rows) {
    const key = [owner, category, line].join("\n");
    sums.set(key, (sums.get(key) ?? 0) + Number(bytes));
  }
  expect([...sums].sort()).toEqual(doc.memory_peak.live.map((row) =>
    [[row.owner, row.category, row.line].join("\n"), row.bytes] as const)
    .sort());
}

// SPDX-License-Identifier: Apache-2.0
//
// A loop of generate() that nobody marked: its iterations are offered as those
// of a server are, and are said to be concluded.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  browserPath, launch, openPage, programPath, serveFolder, type Served,
} from "./harness.ts";

const missing = [browserPath, programPath].filter(
  (path) => !path || !existsSync(path));

/** Passes of 1 ms: a prompt of seven tokens, then one token each. */
function loop(passes: number): string {
  const events = Array.from({ length: passes }, (_, n) => {
    const add = (name: string, begin: number, dur: number, args = {}) => ({
      ph: "X", cat: "cpu_op", name, pid: 1, tid: 1, ts: n * 1000 + begin,
      dur, args });
    return [
      add("aten::embedding", 0, 100,
        { "Input Dims": [[50, 8], [1, n === 0 ? 7 : 1], [], []] }),
      add("aten::linear", 120, 600),
      add("aten::argmax", 800, 50),
    ];
  });
  return JSON.stringify({ schemaVersion: 1, traceEvents: events.flat() });
}

describe.skipIf(missing.length > 0)(
  `a loop without marks (without ${missing.join(", ") || "nothing"})`, () => {
    const folder = mkdtempSync(join(tmpdir(), "stepscope-loop-"));
    let browser: Browser;
    let served: Served;
    beforeAll(async () => {
      writeFileSync(join(folder, "loop.json"), loop(6));
      served = await serveFolder(folder);
      browser = await launch();
    });
    afterAll(async () => {
      await browser?.close();
      await served?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("has iterations, marked as concluded", async () => {
      const { page, problems, close } = await openPage(browser, served.url);
      const track = page.locator(".gutter-track",
        { hasText: "concluded, not marked" });
      await expect.poll(() => track.textContent()).toContain("Iterations");
      await page.getByRole("link", { name: "Serving" }).click();
      await page.getByText("6 iterations, concluded, since none were marked")
        .waitFor();
      const kinds = page.getByRole("region", { name: "Iterations by kind" })
        .locator(".t-row");
      await expect.poll(() => kinds.allTextContents()).toEqual([
        expect.stringMatching(/^Decode5/), expect.stringMatching(/^Prefill1/)]);
      await page.getByRole("link", { name: "Overview" }).click();
      await page.getByTitle(/concluded from operators, aten::embedding/)
        .waitFor();
      expect(problems).toEqual([]);
      await close();
    });
  });

// SPDX-License-Identifier: Apache-2.0
//
// A large snapshot of memory opens: its map is drawn, with the figures of the
// command, and the server holds little beside the file. Of the size that
// STEPSCOPE_SNAPSHOT_BYTES says; a small one has the same shape.
import { execFileSync } from "node:child_process";
import {
  existsSync, mkdtempSync, readFileSync, rmSync, statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MemoryMaps } from "../../src/generated/answers.ts";
import { PATIENCE_MS } from "../patience.ts";
import {
  browserPath, launch, openPage, programPath, serveFolder, tracePath,
  type Served,
} from "./harness.ts";
import { expectFigures, summaryOf, windowOf } from "./memory_figures.ts";
import { ask } from "./tables.ts";

const SMALL = 100_000_000;
const BYTES = Number(process.env["STEPSCOPE_SNAPSHOT_BYTES"] ?? SMALL);
const MAKE = resolve(import.meta.dirname,
  "../../../tests/memory/make_snapshot.py");
const SOURCE = tracePath("memory/train.pickle");
/** A slow machine needs longer for more. */
const TIMEOUT_MS = PATIENCE_MS + 40_000 + BYTES / 5_000;
/** The program, its libraries and the pages of the viewer. */
const PROGRAM_BYTES = 64 << 20;

const missing = [browserPath, programPath, SOURCE].filter((path) =>
  !path || !existsSync(path));

/** The most memory that a process ever had. */
const mostHeld = (pid: number) => 1024 * Number(/VmHWM:\s+(\d+)/.exec(
  readFileSync(`/proc/${pid}/status`, "utf8"))![1]);

describe.skipIf(missing.length > 0)(
  `a snapshot of ${BYTES} bytes (without ${missing.join(", ") || "nothing"})`,
  () => {
    let folder = "";
    let path = "";
    let browser: Browser;
    let server: Served;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "stepscope-ui-"));
      path = join(folder, "large.pickle");
      execFileSync("python3", [MAKE, SOURCE, path, String(BYTES)]);
      browser = await launch();
      server = await serveFolder(folder, ["--no-cache"]);
    }, TIMEOUT_MS);
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("the map is drawn, with the figures of the command", async () => {
      const size = statSync(path).size;
      expect(size).toBeGreaterThan(0.9 * BYTES);
      const session = await openPage(browser, server.url + "&/memory",
        { wait: false });
      session.page.setDefaultTimeout(TIMEOUT_MS);
      await session.page.waitForSelector(".memory-map[data-fresh=true]");
      // The map takes as much again as the recording.
      expect(mostHeld(server.pid!)).toBeLessThan(1.2 * size + PROGRAM_BYTES);
      const t = await windowOf(server.url);
      const [place] = (await ask<MemoryMaps>(server.url, `memory?t=${t}`))
        .places;
      expect(place!.allocations).toBeGreaterThan(size / 1_000);
      await expectFigures(server.url, t, summaryOf(path));
      expect(session.problems).toEqual([]);
    }, TIMEOUT_MS);
  });

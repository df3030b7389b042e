// SPDX-License-Identifier: Apache-2.0
//
// The map of memory in a real browser: what it shows is what `stepscope summary
// --format json` says; an instant, two instants, a box and its stack.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  FlatTable, MemoryArea, MemoryMaps, Runs, SummaryDoc,
} from "../../src/generated/answers.ts";
import { formatBytes } from "../../src/model/format.ts";
import { seriousInBothThemes } from "./axe.ts";
import {
  browserPath, goTo, launch, openPage, programPath, serve, tracePath,
  type Served, type Session,
} from "./harness.ts";
import { ask } from "./tables.ts";

const TRAIN = tracePath("memory/train.pickle");
const AMP = tracePath("torch_resnet50_amp.json.gz");
const needed = [browserPath, programPath, TRAIN, AMP];
const missing = needed.filter((path) => !path || !existsSync(path));

interface Peak {
  allocated_bytes: number;
  live: { owner: string; category: string; bytes: number;
    allocations: number; line: string | null }[];
}
type Doc = SummaryDoc & { memory_peak: Peak };
const summaryOf = (path: string): Doc => JSON.parse(execFileSync(programPath,
  ["summary", path, "--views", "memory_peak,memory", "--format", "json"],
  { maxBuffer: 1 << 28, encoding: "utf8" })) as Doc;

describe.skipIf(missing.length > 0)(
  `map of memory (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let session: Session;
    let page: Page;
    let runs: Map<string, string>;
    beforeAll(async () => {
      browser = await launch();
      server = await serve({ "train/train.pickle": TRAIN,
        "amp/a.json.gz": AMP });
      runs = new Map((await ask<Runs>(server.url, "runs")).runs.map((run) =>
        [run.name, run.id]));
      session = await openPage(browser, server.url + "&/memory",
        { wait: false });
      page = session.page;
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });

    const map = () => page.locator(".memory-map canvas");
    async function show(run: string, more = ""): Promise<void> {
      await goTo(page, `#/memory?run=${encodeURIComponent(runs.get(run)!)}` +
        more);
      await page.getByRole("heading", { level: 1, name: "Memory",
        exact: true }).waitFor();
      await page.waitForSelector(".memory-map[data-fresh=true]");
    }
    async function windowOf(run: string): Promise<string> {
      return (await ask<Runs>(server.url, "runs")).runs.find((one) =>
        one.name === run)!.workers[0]!.windows[0]!.t;
    }
    const cells = (n: number) => page.locator(".t-row").nth(n)
      .locator("[role=gridcell]");

    test.each([["train", TRAIN], ["amp", AMP]])(
      "the figures are those of the command: %s", async (run, path) => {
        await show(run);
        const doc = summaryOf(path);
        const t = await windowOf(run);
        const { places } = await ask<MemoryMaps>(server.url,
          `memory?t=${t}`);
        expect(places.length).toBeGreaterThan(0);
        for (const place of places) {
          const stated = doc.memory.find((one) => one.place === place.place)!;
          expect(place.peak_bytes).toBe(stated.peak_allocated_bytes);
          for (const by of ["operator", "module", "line", "category"]) {
            const area = await ask<MemoryArea>(server.url, "memory_area?" +
              `t=${t}&place=${place.id}&by=${by}&px=300`);
            const columns = area.t.map((_, i) => area.held.reduce(
              (sum, held) => sum + held[i]!, 0));
            expect(Math.max(...columns)).toBe(stated.peak_allocated_bytes);
          }
        }
        const held = await ask<FlatTable>(server.url, "memory_held?" +
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
      });

    test("callers own memory, not what makes tensors for them", () => {
      const live = summaryOf(AMP).memory_peak.live;
      expect(live.map((row) => row.owner)).not.toContain("aten::empty");
      expect(live.some((row) => row.owner.startsWith("aten::"))).toBe(true);
    });

    test("groups, values under the pointer, an instant, two", async () => {
      await show("train", "&by=category");
      const groups = page.getByRole("list", { name: "Groups" });
      await groups.getByText("parameters").waitFor();
      const box = (await map().boundingBox())!;
      const y = box.y + 100;
      await page.mouse.move(box.x + box.width * 0.7, y);
      await page.locator(".memory-hover").getByText("parameters").waitFor();
      await page.mouse.click(box.x + box.width * 0.7, y);
      await page.waitForURL(/event=\d+/);
      await page.getByRole("columnheader", { name: "Owner" }).waitFor();
      await page.keyboard.down("Shift");
      await page.mouse.click(box.x + box.width * 0.9, y);
      await page.keyboard.up("Shift");
      await page.waitForURL(/other=\d+/);
      await page.getByRole("columnheader", { name: "Change" }).waitFor();
      await page.getByRole("button", { name: "Do not compare" }).click();
      await page.waitForURL((url) => !url.href.includes("other="));
      expect(session.problems).toEqual([]);
    });

    test("the peak's instant lists what the summary lists", async () => {
      await show("train", "&tab=held");
      const [most] = summaryOf(TRAIN).memory_peak.live;
      await page.getByRole("columnheader", { name: "Owner" }).waitFor();
      await expect.poll(() => cells(0).nth(1).innerText())
        .toBe(formatBytes(most!.bytes));
      expect(await seriousInBothThemes(page)).toEqual([[], []]);
    });

    test("a box: its stack, its event, and back", async () => {
      await show("train");
      const t = await windowOf("train");
      const [place] = (await ask<MemoryMaps>(server.url, `memory?t=${t}`))
        .places;
      const box = (await map().boundingBox())!;
      // Somewhere on the map there is one: what lives long is large.
      for (let y = 222; y < box.height && !page.url().includes("box="); y += 5)
        await page.mouse.click(box.x + box.width * 0.5, box.y + y);
      await page.waitForURL(/box=\d+/);
      await page.getByRole("heading", { name: "Allocation" }).waitFor();
      await page.locator(".memory-stack li").first().waitFor();
      expect(await seriousInBothThemes(page)).toEqual([[], []]);
      await page.getByRole("button", { name: "Show on timeline" }).first()
        .click();
      await page.waitForURL(/#\/trace\?.*row=\d+/);
      await page.goBack();
      await page.locator(".memory-stack li").first().waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await page.waitForURL((url) => !url.href.includes("box="));
      expect(place!.allocations).toBeGreaterThan(0);
      expect(session.problems).toEqual([]);
    });

    test("zoom by wheel, keys and buttons", async () => {
      await show("train");
      const box = (await map().boundingBox())!;
      await page.getByRole("button", { name: "Zoom in" }).click();
      await page.getByRole("button", { name: "Whole" }).waitFor();
      await map().focus();
      await page.keyboard.press("0");
      await page.getByRole("button", { name: "Whole" }).waitFor(
        { state: "detached" });
      await page.mouse.move(box.x + 400, box.y + 300);
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, -300);
      await page.keyboard.up("Control");
      await page.getByRole("button", { name: "Whole" }).waitFor();
      await page.waitForSelector(".memory-map[data-fresh=true]");
      expect(session.problems).toEqual([]);
    });
  });

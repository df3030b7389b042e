// SPDX-License-Identifier: Apache-2.0
//
// The map of memory in a real browser: what it shows is what `stepscope summary
// --format json` says; an instant, two instants, a box and its stack.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MemoryMaps, Runs } from "../../src/generated/answers.ts";
import { formatBytes } from "../../src/model/format.ts";
import { seriousInBothThemes } from "./axe.ts";
import {
  browserPath, goTo, launch, openPage, programPath, serve, tracePath,
  type Served, type Session,
} from "./harness.ts";
import { expectFigures, summaryOf, windowOf } from "./memory_figures.ts";
import { ask } from "./tables.ts";

const TRAIN = tracePath("memory/train.pickle");
const AMP = tracePath("torch_resnet50_amp.json.gz");
/** All that are there. */
const SNAPSHOTS = (existsSync(TRAIN) ? readdirSync(dirname(TRAIN)) : [])
  .filter((name) => name.endsWith(".pickle"))
  .map((name) => [basename(name, ".pickle"),
    tracePath(`memory/${name}`)] as const);
const needed = [browserPath, programPath, TRAIN, AMP];
const missing = needed.filter((path) => !path || !existsSync(path));

describe.skipIf(missing.length > 0)(
  `map of memory (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let session: Session;
    let page: Page;
    let runs: Map<string, string>;
    beforeAll(async () => {
      browser = await launch();
      server = await serve({ "amp/a.json.gz": AMP, ...Object.fromEntries(
        SNAPSHOTS.map(([run, path]) => [`${run}/${run}.pickle`, path])) });
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
    const cells = (n: number) => page.locator(".t-row").nth(n)
      .locator("[role=gridcell]");

    test.each([...SNAPSHOTS, ["amp", AMP] as const])(
      "the figures are those of the command: %s", async (run, path) => {
        await show(run);
        await expectFigures(server.url, await windowOf(server.url, run),
          summaryOf(path));
      });

    test("callers own memory, not what makes tensors for them", () => {
      const live = summaryOf(AMP).memory_peak.live;
      expect(live.map((row) => row.owner)).not.toContain("aten::empty");
      expect(live.some((row) => row.owner.startsWith("aten::"))).toBe(true);
    });

    test("the map opens where allocations happen", async () => {
      await show("train");
      const t = await windowOf(server.url, "train");
      const [place] = (await ask<MemoryMaps>(server.url, `memory?t=${t}`))
        .places;
      const box = (await map().boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.5, box.y + 100);
      const [seconds, unit] = (await page.locator(".memory-hover b")
        .innerText()).split("\u202f");
      expect(unit).toBe("s");
      expect(Number(seconds) * 1e9).toBeGreaterThan(place!.most_from);
      expect(Number(seconds) * 1e9).toBeLessThan(place!.most_to);
      const whole = page.getByRole("button", { name: "Whole" });
      await whole.click();
      await whole.waitFor({ state: "detached" });
      // Where they happen all the time, all of it is seen.
      await show("amp");
      expect(await whole.count()).toBe(0);
      expect(session.problems).toEqual([]);
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
      const t = await windowOf(server.url, "train");
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

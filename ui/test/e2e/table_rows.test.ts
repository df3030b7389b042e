// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table in a real browser: a million of them, and the one that is
// highlighted.
import { existsSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  browserPath, launch, openPage, programPath, serve, tracePath, type Served,
} from "./harness.ts";

const AMP = tracePath("torch_resnet50_amp.json.gz");
const needed = [browserPath, programPath, AMP];
const missing = needed.filter((path) => !path || !existsSync(path));

describe.skipIf(missing.length > 0)(
  `rows of a table (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    beforeAll(async () => {
      browser = await launch();
      server = await serve({ "amp/a.json.gz": AMP });
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });

    test("a highlighted row stays highlighted in another order", async () => {
      const { page, problems, close } = await openPage(browser,
        server.url + "&/operators", { wait: false });
      const third = page.locator(".t-row").nth(2).locator("[role=gridcell]");
      const name = await third.first().getAttribute("title");
      await third.nth(1).click();
      const active = page.locator(".t-row.active [role=gridcell]").first();
      await expect.poll(() => active.getAttribute("title")).toBe(name);
      await page.getByRole("columnheader", { name: "Name" })
        .getByRole("button").click();
      await page.locator("[aria-sort=ascending]").waitFor();
      await page.getByLabel("Search in Operators").fill(name!);
      await expect.poll(() => active.getAttribute("title")).toBe(name);
      expect(problems).toEqual([]);
      await close();
    });

    /** A table of so many allocations takes the place of the real one. */
    const openMillion = async (page: Page) => {
      await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
      const count = 1_000_000;
      await page.route(/\/table\?.*memory_events/, (route) => route.fulfill({
        contentType: "application/json",
        body: '{"columns":[{"key":"allocated_by","type":"text"},' +
          '{"key":"bytes","type":"bytes"}],"rows":[' +
          Array.from({ length: count }, (_, i) => `["n${i}",${i}]`).join(",") +
          "]}" }));
      await page.getByRole("group", { name: "Table" })
        .getByRole("button", { name: "Allocations" }).click();
      await page.getByText("1,000,000 rows").waitFor();
      await page.getByText(`n${count - 1}`, { exact: true }).waitFor();
    };

    test("a million rows: sorted, and the last one is reached", async () => {
      const { page, problems, close } = await openPage(browser,
        server.url + "&/memory", { wait: false });
      await openMillion(page);
      const last = page.getByText("n0", { exact: true });
      await page.getByRole("grid").focus();
      await page.keyboard.press("End");
      await last.waitFor();
      await expect.poll(() => page.locator(".t-row").count()).toBeLessThan(80);
      await expect.poll(() => page.locator(".t-spacer").evaluate((element) =>
        element.clientHeight)).toBeLessThanOrEqual(8_000_000);
      expect(problems).toEqual([]);
      await close();
    });

    test("the end of a million rows stays in sight in another height",
      async () => {
        const { page, problems, close } = await openPage(browser,
          "about:blank", { wait: false });
        // The news of a height come when they are let through.
        await page.addInitScript(() => {
          const own = window as unknown as { letHeights: () => void };
          const RealObserver = ResizeObserver;
          const open = new Promise<void>((go) => { own.letHeights = go; });
          window.ResizeObserver = class extends RealObserver {
            constructor(run: ResizeObserverCallback) {
              super((...news) => void open.then(() => run(...news)));
            }
          };
        });
        await page.goto(server.url + "&/memory");
        await openMillion(page);
        const last = page.getByText("n0", { exact: true });
        const isInSight = () => last.evaluate((cell) => {
          const row = cell.closest(".t-row")!.getBoundingClientRect();
          const box = cell.closest(".t-box")!;
          return row.bottom <= box.getBoundingClientRect().top +
            box.clientTop + box.clientHeight + 1;
        }, undefined, { timeout: 1000 }).catch(() => false);
        await page.getByRole("grid").focus();
        await page.keyboard.press("End");
        await expect.poll(isInSight).toBe(true);
        await page.evaluate(() => (window as unknown as
          { letHeights: () => void }).letHeights());
        for (const height of [700, 1100, 640, 900]) {
          await page.setViewportSize({ width: 1600, height });
          await expect.poll(isInSight).toBe(true);
        }
        // For a moment only: the browser moves the bar, and nobody is told of
        // the height.
        await page.locator(".t-box").evaluate(async (element) => {
          const box = element as HTMLElement;
          box.style.flex = "none";
          box.style.height = "800px";
          void box.scrollTop;
          box.style.flex = box.style.height = "";
          for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
        });
        await expect.poll(isInSight).toBe(true);
        expect(problems).toEqual([]);
        await close();
      });
  });

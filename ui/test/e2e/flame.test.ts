// SPDX-License-Identifier: Apache-2.0
//
// The view Flame graph with a tree of few levels: it has the room that there
// is, and says who took most time by itself.
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FlameInfo } from "../../src/generated/answers.ts";
import { formatTime } from "../../src/model/format.ts";
import { seriousInBothThemes } from "./axe.ts";
import {
  api, browserPath, launch, openPage, programPath, serve, settled, tracePath,
  type Served, type Session,
} from "./harness.ts";
import { windowOf } from "./memory_figures.ts";

const AMP = tracePath("torch_resnet50_amp.json.gz");
const missing = [browserPath, programPath, AMP]
  .filter((path) => !path || !existsSync(path));

describe.skipIf(missing.length > 0)(
  `flame graph (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let session: Session;
    let t: string;
    beforeAll(async () => {
      browser = await launch();
      server = await serve({ "amp/a.json.gz": AMP });
      t = await windowOf(server.url, "amp");
      session = await openPage(browser, server.url + "&/flame",
        { wait: false });
      await session.page.waitForSelector(".flame button");
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });

    const functions = async () =>
      (await api<FlameInfo>(server, `flame?t=${t}&by=host&inverted=1`)).boxes
        .filter((one) => one.depth === 0).sort((a, b) => b.w - a.w);

    test("few levels are high, and say their time", async () => {
      const { page } = session;
      const { boxes } = await api<FlameInfo>(server, `flame?t=${t}&by=host`);
      const first = page.locator(".flame button").first();
      await first.getByText(formatTime(boxes[0]!.w)).waitFor();
      expect((await first.boundingBox())!.height).toBeGreaterThan(30);
    });

    test("the page is full, and needs no scroll bar", async () => {
      const { page } = session;
      await page.getByRole("grid", { name: "Own time by name" }).waitFor();
      const room = await page.evaluate(() => {
        const main = document.querySelector("main")!;
        const card = document.querySelector(".own-times")!;
        return { below: main.getBoundingClientRect().bottom -
          card.getBoundingClientRect().bottom,
        hidden: main.scrollHeight - main.clientHeight };
      });
      expect(room.below).toBeLessThan(40);
      expect(room.hidden).toBeLessThanOrEqual(0);
    });

    test("own times are the server's, and lead to their boxes", async () => {
      const { page, problems } = session;
      const grid = page.getByRole("grid", { name: "Own time by name" });
      const all = await functions();
      const row = grid.locator(".t-row").first();
      await row.getByText(formatTime(all[0]!.w)).waitFor();
      expect(await grid.getAttribute("aria-rowcount"))
        .toBe(String(all.filter((one) => one.w > 0).length + 1));
      expect(await page.locator(".flame .found").count()).toBe(0);
      await row.click();
      await page.waitForURL(/find=/);
      await page.locator(".flame .found").first().waitFor();
      expect(await seriousInBothThemes(page)).toEqual([[], []]);
      await row.getByRole("button", { name: "Show on timeline" }).click();
      await settled(page);
      expect(problems).toEqual([]);
    });
  });

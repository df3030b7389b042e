// SPDX-License-Identifier: Apache-2.0
//
// The coarse picture of a large capture, and the exact one that takes its
// place. The server holds the latter back until the test says so.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeGate, startMock } from "../mock/serve.mjs";
import {
  addressWith, browserPath, goTo, launch, openPage, rangeOf, settled, statsOf,
  type Session,
} from "./harness.ts";

describe.skipIf(!browserPath)("a preview", () => {
  const gate = makeGate();
  let browser: Browser;
  let mock: Awaited<ReturnType<typeof startMock>>;
  let session: Session;
  let page: Page;
  beforeAll(async () => {
    mock = await startMock(0, (name) => name, gate);
    browser = await launch();
    session = await openPage(browser, mock.url);
    page = session.page;
  });
  afterAll(async () => {
    await browser?.close();
    mock?.close();
    expect(session?.problems).toEqual([]);
  });
  const view = { t0: 1_000_000, t1: 2_500_000 };

  test("is drawn and says what it is", async () => {
    await page.getByText("Preview. Exact picture follows: 43 %.").waitFor();
    expect((await statsOf(page)).boxes).toBeGreaterThan(0);
    expect(await page.getByText("Nothing lost").count()).toBe(0);
  });

  test("can be moved and zoomed", async () => {
    await page.evaluate((to) => window.stepscopeTimeline.setRange(to), view);
    await settled(page);
    const stats = await statsOf(page);
    expect(stats.boxes).toBeGreaterThan(0);
    expect(stats.blanks).toBe(0);
    await expect.poll(() => rangeOf(page)).toEqual(view);
  });

  test("says how many events a mark stands for", async () => {
    const plot = (await page.locator(".plot").boundingBox())!;
    const details = page.locator(".details");
    for (let y = 40; y < plot.height; y += 6) {
      await page.mouse.click(plot.x + plot.width / 2, plot.y + y);
      const text = await details.innerText();
      if (/Click a mark/.test(text)) continue;
      expect(text).toMatch(/12 events in .*, mostly .*exact picture/s);
      return;
    }
    throw new Error("nothing could be clicked");
  });

  test("leaves the other views to the whole trace", async () => {
    await addressWith(page, /from=\d+&to=\d+/);  // comes after the picture
    const link = new URL(page.url()).hash;
    await goTo(page, "#/operators");
    await page.getByText("Reading the file").waitFor();
    await goTo(page, link);
    await page.getByText("Preview. Exact picture follows").waitFor();
    await settled(page);
  });

  test("becomes the exact picture, in the same place", async () => {
    const before = await rangeOf(page);
    expect(before).toEqual(view);
    const drawn = await statsOf(page);
    expect(gate.refused).toEqual([]);
    gate.open();
    await page.getByText("Preview. Exact picture follows")
      .waitFor({ state: "detached" });
    await settled(page);
    const after = await statsOf(page);
    await expect.poll(() => rangeOf(page)).toEqual(before);
    expect(after.blanks).toBe(drawn.blanks);
    // Finer than the preview's marks.
    expect(after.boxes).toBeGreaterThan(drawn.boxes);
    await page.getByText("Click an event for its details").waitFor();
    await page.getByText("Nothing lost").waitFor({ state: "attached" });
    expect(gate.refused).toEqual([]);
  });
});

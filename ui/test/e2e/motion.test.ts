// SPDX-License-Identifier: Apache-2.0
//
// How the timeline moves, and what many tracks do to it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  browserPath, launch, openPage, programPath, rangeOf, serve, settled,
  statsOf, type Served, type Session,
} from "./harness.ts";

const GENERATOR = join(dirname(programPath), "stepscope_generate");
const missing = !browserPath ? "no Chromium"
  : [programPath, GENERATOR].find((path) => !existsSync(path)) ?? "";
const TRACKS = 500;

describe.skipIf(missing !== "")(`500 tracks ${missing}`, () => {
  let browser: Browser;
  let served: Served;
  let session: Session;
  let page: Page;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "stepscope-tracks-"));
    const trace = join(folder, "many.sscap");
    const made = spawnSync(GENERATOR, ["capture", trace, "--events",
      "500000", "--pairs", String(TRACKS / 2)], { stdio: "ignore" });
    expect(made.status).toBe(0);
    served = await serve({ "many.sscap": trace });
    rmSync(folder, { recursive: true });
    browser = await launch();
    session = await openPage(browser, served.url);
    page = session.page;
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    expect(session?.problems).toEqual([]);
  });

  /** Ranges of the next frames of the page. */
  const frames = (count: number) => page.evaluate(async (most) => {
    const list: { t0: number; t1: number }[] = [];
    for (let n = 0; n < most; n++) {
      await new Promise(requestAnimationFrame);
      list.push(window.stepscopeTimeline.range());
    }
    return list;
  }, count);

  test("a held key moves with every frame and stops with the key",
    async () => {
      for (const [key, moves] of [
        ["w", (a: number, b: number) => b < a],
        ["s", (a: number, b: number) => b > a],
      ] as const) {
        // Far enough in that no end of the zoom is reached.
        for (let n = 0; n < 4; n++) await page.keyboard.press("Shift+W");
        await page.keyboard.down(key);
        // The key may have come after the first frame began.
        const held = (await frames(6)).slice(2);
        await page.keyboard.up(key);
        const lengths = held.map(({ t0, t1 }) => t1 - t0);
        for (let n = 1; n < lengths.length; n++)
          expect(moves(lengths[n - 1]!, lengths[n]!)).toBe(true);
        await frames(2);
        const [one, two] = await frames(2);
        expect(two).toEqual(one);
      }
      await settled(page);
    });

  test("Ctrl and wheel keep the time under the pointer", async () => {
    await page.keyboard.press("w");
    await settled(page);
    const plot = (await page.locator(".plot").boundingBox())!;
    const x = Math.round(plot.width * 0.7);
    const timeAt = ({ t0, t1 }: { t0: number; t1: number }) =>
      t0 + (x / plot.width) * (t1 - t0);
    const before = await rangeOf(page);
    await page.mouse.move(plot.x + x, plot.y + 200);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await expect.poll(async () => {
      const { t0, t1 } = await rangeOf(page);
      return t1 - t0;
    }).toBeLessThan((before.t1 - before.t0) * 0.8);
    await page.keyboard.up("Control");
    const after = await rangeOf(page);
    expect(Math.abs(timeAt(after) - timeAt(before)))
      .toBeLessThan((before.t1 - before.t0) / plot.width);
    await settled(page);
  });

  test("the minimap shows the part that is seen", async () => {
    await page.getByText("Whole trace").click();
    await settled(page);
    const plot = (await page.locator(".minimap-plot").boundingBox())!;
    // Pictures are read in a page without a policy.
    const reader = await browser.newPage();
    const frameAt = async () => {
      const png = await page.locator(".minimap-plot").screenshot();
      return reader.evaluate(async ({ text, width }) => {
        const bytes = Uint8Array.from(atob(text), (one) =>
          one.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes]));
        const context =
          new OffscreenCanvas(image.width, image.height).getContext("2d")!;
        context.drawImage(image, 0, 0);
        const at = (share: number) => [...context.getImageData(
          Math.round(share * width), 32, 1, 1).data].join();
        return { inside: at(0.5), outside: at(0.002) };
      }, { text: png.toString("base64"), width: plot.width });
    };
    const whole = await frameAt();
    await page.keyboard.press("w");
    // The frame around what is seen lies over the curve, in the middle only.
    await expect.poll(async () => (await frameAt()).inside)
      .not.toBe(whole.inside);
    const seen = await frameAt();
    expect(seen.inside).not.toBe(seen.outside);
    await page.getByText("Whole trace").click();
    await expect.poll(async () => (await frameAt()).inside)
      .not.toBe(seen.inside);
    await reader.close();
  });

  test("all tracks can be listed, found and moved", async () => {
    await page.getByRole("button", { name: /^Tracks/ }).click();
    const list = page.locator(".tracks-menu ul");
    await expect.poll(() => list.locator("input").count()).toBeLessThan(100);
    await list.evaluate((ul) => ul.scrollTo(0, ul.scrollHeight));
    const last = list.locator("li:has(input)").last();
    await expect.poll(() => last.locator("input").isVisible()).toBe(true);
    await last.locator("input").uncheck();
    await expect.poll(() =>
      page.getByRole("button", { name: /^Tracks/ }).textContent())
      .toContain(String(TRACKS));
    await page.keyboard.press("Escape");
    const track = page.locator(".gutter-track").nth(6);
    const name = await track.locator(".name").getAttribute("title");
    for (let n = 6; n > 3; n--)
      await page.locator(".gutter-track").nth(n)
        .getByRole("button", { name: "Move up" }).click({ force: true });
    await expect.poll(() => page.locator(".gutter-track").nth(3)
      .locator(".name").getAttribute("title")).toBe(name);
    // One move in the link, however often it was moved on.
    await expect.poll(() => page.url()).toMatch(/move=\d+-\d+(&|$)/);
    await settled(page);
    expect((await statsOf(page)).blanks).toBe(0);
  });
});

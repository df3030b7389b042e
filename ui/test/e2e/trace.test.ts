// SPDX-License-Identifier: Apache-2.0
//
// Every key and control of the timeline, in a real browser.
import type { Browser, Page } from "playwright-core";
import {
  afterAll, afterEach, beforeAll, beforeEach, describe, expect, test,
} from "vitest";
import { TAP_MS, zoomFactor } from "../../src/model/motion.ts";
import {
  addressWith, drag, holdAnswers, launch, mockServer, openPage, rangeOf,
  realServer, search, selectedPoint, settled, startOver, statsOf, type Served,
  type Session,
} from "./harness.ts";

const KERNEL = "elementwise";
const OPERATOR = "aten::add_";
const length = (range: { t0: number; t1: number }) => range.t1 - range.t0;

describe.each([mockServer, realServer("torch_resnet50_amp.json.gz")])(
  "timeline of $name", (kind) => {
    if (kind.missing) {
      test.skip(`skipped: ${kind.missing}`, () => {});
      return;
    }
    let browser: Browser;
    let served: Served;
    let session: Session | null = null;
    let page: Page;
    beforeAll(async () => {
      served = await kind.start();
      browser = await launch();
    });
    afterAll(async () => {
      await browser?.close();
      await served?.stop();
    });
    // One page for all: each test begins at the timeline's own address. A page
    // in which something failed is not used again.
    beforeEach(async () => {
      if (session) await startOver(page);
      else session = await openPage(browser, served.url);
      page = session.page;
    });
    afterEach(async ({ task }) => {
      const { problems, close } = session!;
      if (task.result?.state !== "pass" || problems.length > 0) {
        session = null;
        await close();
      }
      expect(problems).toEqual([]);
    });

    const plotBox = async () => (await page.locator(".plot").boundingBox())!;
    /** Searches; what comes back says which match is shown. */
    const firstMatch = async (text: string) => {
      await search(page, text);
      const status = page.locator(".found-count span");
      await expect.poll(() => status.textContent()).toMatch(/^1 of [\d,]+$/);
      await page.waitForSelector(".details h2");
      return status;
    };
    const holdDetails = () => holdAnswers(page, "event");
    const press = async (key: string) => {
      const before = await rangeOf(page);
      await page.keyboard.press(key);
      return { before, after: await rangeOf(page) };
    };

    test("the token leaves the address bar", async () => {
      await page.goto("about:blank");
      await page.goto(served.url + "&/trace");
      await settled(page);
      await expect.poll(() => page.url()).not.toContain("token");
      await page.reload();
      await settled(page);
    });

    test("w and s zoom, a and d move, Shift is faster", async () => {
      const zoomed = await press("w");
      expect(length(zoomed.after)).toBeLessThan(length(zoomed.before));
      const faster = await press("Shift+W");
      expect(length(faster.after) / length(faster.before))
        .toBeLessThanOrEqual(zoomFactor(TAP_MS, true) + 1e-9);
      const right = await press("d");
      expect(right.after.t0).toBeGreaterThan(right.before.t0);
      expect(length(right.after)).toBeCloseTo(length(right.before), -1);
      const left = await press("a");
      expect(left.after.t0).toBeLessThan(left.before.t0);
      const out = await press("s");
      expect(length(out.after)).toBeGreaterThan(length(out.before));
      await addressWith(page, /from=\d+&to=\d+/);
      await settled(page);
    });

    test("1 to 4 choose what the mouse does", async () => {
      const modes = page.getByRole("radiogroup", { name: "Mouse" });
      for (const [n, name] of ["Select", "Pan", "Zoom", "Measure"]
        .entries()) {
        await page.keyboard.press(String(n + 1));
        await expect.poll(() => modes.getByRole("radio", { checked: true })
          .getAttribute("title")).toContain(name);
      }
    });

    test("drag pans, zooms, measures", async () => {
      await page.keyboard.press("w");
      await page.keyboard.press("Shift+W");
      const plot = await plotBox();
      const at = (share: number) =>
        ({ x: plot.x + plot.width * share, y: plot.y + 300 });
      await page.keyboard.press("2");
      let before = await rangeOf(page);
      await drag(page, at(0.5), at(0.75));
      let after = await rangeOf(page);
      expect((before.t0 - after.t0) / length(before)).toBeCloseTo(0.25, 2);
      await page.keyboard.press("3");
      before = after;
      await drag(page, at(0.25), at(0.75));
      after = await rangeOf(page);
      expect(length(after) / length(before)).toBeCloseTo(0.5, 2);
      await page.keyboard.press("4");
      await drag(page, at(0.25), at(0.5));
      await expect.poll(() => rangeOf(page)).toEqual(after);
      await page.keyboard.press("f");
      await expect.poll(async () => length(await rangeOf(page)) /
        length(after))
        .toBeCloseTo(0.25, 2);
      await page.keyboard.press("m");
      await addressWith(page, /marks=/);
    });

    test("search counts and goes to the next and previous match",
      async () => {
        const status = await firstMatch(OPERATOR);
        await addressWith(page, /q=aten%3A%3Aadd_/);
        await page.keyboard.press("Enter");
        await expect.poll(() => status.textContent()).toMatch(/^2 of/);
        await page.getByRole("button", { name: "Next match" }).click();
        await expect.poll(() => status.textContent()).toMatch(/^3 of/);
        await page.getByRole("button", { name: "Previous match" }).click();
        await expect.poll(() => status.textContent()).toMatch(/^2 of/);
        await page.locator(".plot").focus();
        await page.keyboard.press("Shift+Enter");
        await expect.poll(() => status.textContent()).toMatch(/^1 of/);
        await page.getByRole("button", { name: "End the search" }).click();
        await expect.poll(() => page.locator(".found-count").count()).toBe(0);
      });

    test("Enter goes on from a match whose details are still on their way",
      async () => {
        const status = await firstMatch(OPERATOR);
        const details = await holdDetails();
        for (const place of [/^2 of/, /^3 of/, /^4 of/]) {
          await page.keyboard.press("Enter");
          await expect.poll(() => status.textContent()).toMatch(place);
        }
        await page.keyboard.press("Shift+Enter");
        await expect.poll(() => status.textContent()).toMatch(/^3 of/);
        await details.letThrough();
        await settled(page);
      });

    test("a search without a match says so", async () => {
      await search(page, "no such event anywhere");
      await expect.poll(() => page.locator(".found-count span").textContent())
        .toBe("no match");
    });

    test("f zooms to the selection, Escape clears it, f shows all",
      async () => {
        const whole = await rangeOf(page);
        await search(page, KERNEL);
        await page.waitForSelector(".details h2");
        await page.keyboard.press("f");
        await settled(page);
        const plot = await plotBox();
        const point = await selectedPoint(page);
        expect((point.x - plot.x) / plot.width).toBeCloseTo(0.5, 1);
        await page.keyboard.press("Escape");
        await page.waitForSelector(".details.empty");
        await page.keyboard.press("f");
        await expect.poll(() => rangeOf(page)).toEqual(whole);
        // Again: with the time in which nothing runs any more.
        if (await page.locator(".after-events").count() === 0) return;
        await page.keyboard.press("f");
        await expect.poll(async () => (await rangeOf(page)).t1)
          .toBeGreaterThan(whole.t1 * 1.05);
      });

    test("a time measured after an event was selected is what f shows",
      async () => {
        await search(page, KERNEL);
        await page.waitForSelector(".details h2");
        const before = await rangeOf(page);
        const plot = await plotBox();
        const at = (share: number) =>
          ({ x: plot.x + plot.width * share, y: plot.y + 200 });
        await page.keyboard.press("4");
        await drag(page, at(0.25), at(0.5));
        await page.keyboard.press("f");
        const after = await rangeOf(page);
        expect(length(after) / length(before)).toBeCloseTo(0.25, 2);
        await page.keyboard.press("1");
      });

    test("a click selects; the details are the event's", async () => {
      await search(page, KERNEL);
      await page.waitForSelector(".details h2");
      await page.keyboard.press("f");
      await settled(page);
      const point = await selectedPoint(page);
      const name = await page.locator(".details h2 .mono").textContent();
      await page.keyboard.press("Escape");
      await page.waitForSelector(".details.empty");
      await page.mouse.click(point.x, point.y);
      await page.waitForSelector(".details h2");
      await expect.poll(() => page.locator(".details h2 .mono").textContent())
        .toBe(name);
      await addressWith(page, /row=\d+/);
      await expect.poll(() => page.getByText("Launched by").count()).toBe(1);
    });

    test("the launch link and back, by click and by ] and [", async () => {
      await search(page, KERNEL);
      await page.waitForSelector(".details h2");
      await page.keyboard.press("f");
      const kernel = new URL(await addressWith(page, /row=\d+/)).hash;
      const rowOf = () => /row=(\d+)/.exec(page.url())?.[1];
      const row = /row=(\d+)/.exec(kernel)![1];
      await page.getByRole("button", { name: "Go to launch" }).click();
      await expect.poll(rowOf).not.toBe(row);
      const call = rowOf();
      await page.locator(".plot").focus();
      await page.keyboard.press("]");
      await expect.poll(rowOf).toBe(row);
      await page.keyboard.press("[");
      await expect.poll(rowOf).toBe(call);
    });

    test("arrow keys move along events", async () => {
      await search(page, OPERATOR);
      await page.waitForSelector(".details h2");
      await page.locator(".plot").focus();
      const rowOf = () => /row=(\d+)/.exec(page.url())?.[1];
      const start = rowOf();
      await page.keyboard.press("ArrowRight");
      await expect.poll(rowOf).not.toBe(start);
      await page.keyboard.press("ArrowLeft");
      await expect.poll(rowOf).toBe(start);
      await page.keyboard.press("ArrowUp");
      await expect.poll(rowOf).not.toBe(start);
      const parent = rowOf();
      await page.keyboard.press("ArrowDown");
      await expect.poll(rowOf).not.toBe(parent);
    });

    test("an arrow key that is held down waits for the event it asked for",
      async () => {
        await search(page, OPERATOR);
        await page.waitForSelector(".details h2");
        await addressWith(page, /row=\d+/);
        await page.locator(".plot").focus();
        const rowOf = () => /row=(\d+)/.exec(page.url())?.[1];
        const go = async (key: string) => {
          const before = rowOf();
          await page.keyboard.press(key);
          await expect.poll(rowOf).not.toBe(before);
          return rowOf();
        };
        const start = rowOf();
        await go("ArrowRight");
        const second = await go("ArrowRight");
        for (let i = 0; i < 2; i++) await go("ArrowLeft");
        await expect.poll(rowOf).toBe(start);
        const details = await holdDetails();
        for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
        await expect.poll(details.asked).toBe(1);
        await expect.poll(rowOf).toBe(start);
        // The last of the presses that came too early counts, too.
        await details.letThrough();
        await expect.poll(rowOf).toBe(second);
        await settled(page);
      });

    test("a key that comes before the details means their event", async () => {
      await search(page, KERNEL);
      await page.waitForSelector(".details h2");
      await page.keyboard.press("f");
      await addressWith(page, /from=/);
      const framed = await rangeOf(page);
      const other = await holdDetails();
      await search(page, OPERATOR);
      await expect.poll(other.asked).toBe(1);
      await page.keyboard.press("f");
      await page.keyboard.press("m");
      await expect.poll(() => rangeOf(page)).toEqual(framed);
      await expect.poll(() => page.url()).not.toMatch(/marks=/);
      await other.letThrough();
      const address = await addressWith(page, /marks=/);
      expect(decodeURIComponent(address)).toContain("add_");
      await settled(page);
      const event = await selectedPoint(page);
      const plot = (await page.locator(".plot").boundingBox())!;
      expect(event.x).toBeCloseTo(plot.x + plot.width / 2, -1);
    });

    test("hover names the event", async () => {
      await search(page, KERNEL);
      await page.waitForSelector(".details h2");
      await page.keyboard.press("f");
      await settled(page);
      const point = await selectedPoint(page);
      const name = await page.locator(".details h2 .mono").textContent();
      await page.mouse.move(point.x + 1, point.y + 1);
      await page.mouse.move(point.x, point.y);
      await page.waitForSelector(".tooltip");
      await expect.poll(() => page.locator(".tooltip b").textContent())
        .toBe(name);
      await expect.poll(() => page.locator(".tooltip span").textContent())
        .toMatch(/[µmn]?s/);
    });

    test("a double click selects all of the name", async () => {
      await search(page, KERNEL);
      await page.waitForSelector(".details h2");
      await page.keyboard.press("f");
      await settled(page);
      const point = await selectedPoint(page);
      await page.mouse.dblclick(point.x, point.y);
      await page.getByRole("button", { name: "Select one" }).waitFor();
      await page.getByRole("button", { name: "Select one" }).click();
      await page.getByRole("button", { name: "Select all" }).waitFor();
    });

    test("a box is summed up, sorted, and shared by its link", async () => {
      const plot = await plotBox();
      await drag(page, { x: plot.x + 400, y: plot.y + 40 },
        { x: plot.x + 700, y: plot.y + 300 });
      await page.waitForSelector(".box-table tbody tr");
      await expect.poll(() => page.locator(".flame button").count())
        .toBeGreaterThan(0);
      const heads = page.locator(".box-table th");
      await expect.poll(() => heads.nth(2).getAttribute("aria-sort"))
        .toBe("descending");
      await heads.nth(1).getByRole("button").click();
      await expect.poll(() => heads.nth(1).getAttribute("aria-sort"))
        .toBe("descending");
      const title = await page.locator(".box-panel h2").textContent();
      await page.reload();
      await page.waitForSelector(".box-table tbody tr");
      await expect.poll(() => page.locator(".box-panel h2").textContent())
        .toBe(title);
      await page.keyboard.press("f");
      await page.getByRole("button", { name: "Close" }).click();
      await page.waitForSelector(".details.empty");
    });

    test("tracks are pinned, hidden, folded, filtered", async () => {
      const names = () => page.locator(".gutter-track b").allTextContents();
      const all = await names();
      const last = page.locator(".gutter-track").last();
      const name = await last.locator("b").textContent();
      await last.hover();
      await last.getByRole("button", { name: "Pin to the top" }).click();
      await expect.poll(async () => (await names())[0]).toBe(name);
      await page.getByRole("button", { name: /^Pinned 1/ }).click();
      await expect.poll(names).toEqual(all);
      const first = page.locator(".gutter-track").first();
      await first.hover();
      await first.getByRole("button", { name: "Hide the track" }).click();
      await expect.poll(async () => (await names()).length)
        .toBeLessThanOrEqual(all.length);
      await addressWith(page, /hide=\d+/);
      await page.getByRole("button", { name: /^Tracks/ }).click();
      await page.getByRole("button", { name: "Show all" }).click();
      await expect.poll(names).toEqual(all);
      await page.getByLabel("Filter tracks").fill("no such track");
      await expect.poll(names).toEqual([]);
      await page.getByLabel("Filter tracks").fill("");
      await page.keyboard.press("Escape");
      await page.locator(".gutter-group > button").last().click();
      await addressWith(page, /shut=\d+/);
      await expect.poll(async () => (await names()).length)
        .toBeLessThan(all.length);
    });

    test("the wheel zooms at the pointer and moves", async () => {
      const plot = await plotBox();
      await page.mouse.move(plot.x + plot.width / 4, plot.y + 200);
      const before = await rangeOf(page);
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, -400);
      await page.keyboard.up("Control");
      await expect.poll(async () => length(await rangeOf(page)))
        .toBeLessThan(length(before));
      const zoomed = await rangeOf(page);
      const anchor = before.t0 + length(before) / 4;
      expect((anchor - zoomed.t0) / length(zoomed)).toBeCloseTo(0.25, 2);
      await page.mouse.wheel(200, 0);
      await expect.poll(async () => (await rangeOf(page)).t0)
        .toBeGreaterThan(zoomed.t0);
    });

    test("the minimap moves the view", async () => {
      await page.keyboard.press("Shift+W");
      await page.keyboard.press("Shift+W");
      const map = (await page.locator(".minimap-plot").boundingBox())!;
      await page.mouse.click(map.x + map.width * 0.8, map.y + 35);
      const { t0, t1 } = await rangeOf(page);
      await page.keyboard.press("Escape");
      await page.keyboard.press("f");
      // It has the time after the last event, too.
      if (await page.locator(".after-events").count() > 0)
        await page.keyboard.press("f");
      const whole = await rangeOf(page);
      expect(((t0 + t1) / 2 - whole.t0) / length(whole))
        .toBeCloseTo(0.8, 1);
    });

    test("a link shows the same thing", async () => {
      await search(page, KERNEL);
      await page.waitForSelector(".details h2");
      await page.keyboard.press("f");
      await page.keyboard.press("m");
      await settled(page);
      const range = await rangeOf(page);
      const url = await addressWith(page, new RegExp(
        `from=${Math.round(range.t0)}&.*row=.*marks=`));
      const name = await page.locator(".details h2").textContent();
      await page.goto("about:blank");
      await page.goto(url);
      await settled(page);
      await page.waitForSelector(".details h2");
      await expect.poll(() => page.locator(".details h2").textContent())
        .toBe(name);
      const again = await rangeOf(page);
      expect(again.t0).toBeCloseTo(range.t0, -1);
      expect(again.t1).toBeCloseTo(range.t1, -1);
    });

    test("Copy link copies the address, without the token", async () => {
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.getByText("Link copied").waitFor();
      await expect.poll(() =>
        page.evaluate(() => navigator.clipboard.readText()))
        .toBe(page.url());
    });

    test("? lists the keys, the theme changes", async () => {
      await page.keyboard.press("?");
      await page.getByRole("dialog").getByText("Keys and mouse").waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
      const themeOf = () => page.evaluate(() =>
        document.documentElement.dataset["theme"]);
      await expect.poll(themeOf).toBe("light");
      const button = page.getByRole("button", { name: /^Theme/ });
      await button.click();
      await button.click();
      await expect.poll(themeOf).toBe("dark");
      await page.reload();
      await expect.poll(themeOf).toBe("dark");
      await button.click();  // as the system has it
      await expect.poll(themeOf).toBe("light");
    });

    test("overlays are in the address", async () => {
      await page.getByRole("button", { name: "Arrows" }).click();
      await addressWith(page, /arrows=0/);
      await page.getByRole("button", { name: "Critical path" }).click();
      await addressWith(page, /path=1/);
    });

    test("a list of events for screen readers", async () => {
      await search(page, KERNEL);
      await page.waitForSelector(".details h2");
      await page.keyboard.press("f");
      const list = page.getByLabel("Events in view on the selected track");
      await list.waitFor({ state: "attached" });
      await expect.poll(() => list.getByRole("button").count())
        .toBeGreaterThan(0);
    });

    test("nothing is ever blank between the whole and a microsecond",
      async () => {
        await search(page, KERNEL);
        await page.waitForSelector(".details h2");
        await page.keyboard.press("Escape");
        await page.keyboard.press("f");
        await settled(page);
        const blanks = (await statsOf(page)).blanks;
        for (let n = 0; n < 12; n++) await page.keyboard.press("Shift+W");
        await settled(page);
        const stats = await statsOf(page);
        expect(stats.blanks).toBe(blanks);
        expect(stats.requests).toBeLessThan(120);
      });
  });

// SPDX-License-Identifier: Apache-2.0
//
// What people expect of a timeline by habit: Back, lists, notes, an order of
// their own, the keyboard, and room for what they look at.
import { existsSync, writeFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import {
  afterAll, afterEach, beforeAll, beforeEach, describe, expect, test,
} from "vitest";
import { seriousInBothThemes } from "./axe.ts";
import {
  addressWith, browserPath, drag, goTo, launch, openPage, programPath, rangeOf,
  search, serve, settled, startOver, tracePath, type Served, type Session,
} from "./harness.ts";

const FILE = tracePath("torch_resnet50_amp.json.gz");
const missing = [browserPath, programPath, FILE].filter((path) =>
  !path || !existsSync(path));
const length = (range: { t0: number; t1: number }) => range.t1 - range.t0;

describe.skipIf(missing.length > 0)(
  `habits (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let served: Served;
    let session: Session | null = null;
    let page: Page;
    beforeAll(async () => {
      served = await serve({ "run/a.json.gz": FILE });
      browser = await launch();
    });
    afterAll(async () => {
      await browser?.close();
      await served?.stop();
    });
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
    const names = () => page.locator(".gutter-track b").allTextContents();
    const focused = () => page.evaluate(() =>
      document.activeElement?.getAttribute("aria-label") ??
      document.activeElement?.textContent);

    test("Back undoes a zoom, and a jump; moving along is no step",
      async () => {
        const whole = await rangeOf(page);
        await page.keyboard.press("Shift+W");
        await addressWith(page, /from=/);
        const zoomed = await rangeOf(page);
        // Moved, which takes the place of where it was.
        const before = page.url();
        await page.keyboard.press("d");
        await expect.poll(() => page.url()).not.toBe(before);
        const moved = page.url();
        await search(page, "aten::add_");
        await page.waitForSelector(".details h2");
        await page.keyboard.press("f");
        await expect.poll(() => page.url()).not.toBe(moved);
        await expect.poll(async () => page.evaluate(() =>
          new URLSearchParams(location.hash.split("?")[1]).get("to")))
          .not.toBe(new URLSearchParams(moved.split("?")[1]).get("to"));
        await page.goBack();
        await expect.poll(async () => length(await rangeOf(page)) /
          length(zoomed)).toBeCloseTo(1, 3);
        await page.goBack();
        await expect.poll(() => rangeOf(page)).toEqual(whole);
        await page.goForward();
        await expect.poll(async () => length(await rangeOf(page)) /
          length(zoomed)).toBeCloseTo(1, 3);
      });

    test("all matches are listed, and a row leads to its event", async () => {
      await search(page, "aten::add_");
      await page.waitForSelector(".details h2");
      await page.getByRole("button", { name: "List all matches" }).click();
      const panel = page.getByRole("complementary", { name: "Matches" });
      const count = /of ([\d,]+)/.exec(
        (await page.locator(".found-count span").textContent())!)![1]!;
      await panel.getByText(`${count} rows`).waitFor();
      const row = () => /row=(\d+)/.exec(page.url())?.[1];
      const first = row();
      await panel.locator(".t-row").nth(3).click();
      await expect.poll(row).not.toBe(first);
      expect(await seriousInBothThemes(page, ".side-panel"))
        .toEqual([[], []]);
      // The list is in the link.
      await addressWith(page, /panel=hits/);
      await page.getByRole("button", { name: "Close the list" }).click();
      await expect.poll(() => panel.count()).toBe(0);
    });

    test("notes and marks are named, shown, removed, and brought back",
      async () => {
        await page.keyboard.press("n");
        const text = page.getByLabel("Text of note 1");
        await text.waitFor();
        await expect.poll(() => focused()).toBe("Text of note 1");
        await page.keyboard.type("why <b>so</b>; long: 100 %?");
        await page.keyboard.press("Enter");
        await search(page, "aten::add_");
        await page.waitForSelector(".details h2");
        await page.keyboard.press("m");
        await page.getByLabel("Text of mark 2").fill("the slow one");
        const link = await addressWith(page, /the%2520slow|the\+slow/);
        await page.goto("about:blank");
        await page.goto(link);
        await settled(page);
        await expect.poll(() => page.getByLabel("Text of note 1")
          .inputValue()).toBe("why <b>so</b>; long: 100 %?");
        const whole = await rangeOf(page);
        await page.getByRole("button", { name: "Show mark 2" }).click();
        await expect.poll(async () => length(await rangeOf(page)))
          .not.toBe(length(whole));
        expect(await seriousInBothThemes(page, ".side-panel"))
          .toEqual([[], []]);
        await page.getByRole("button", { name: "Remove note 1" }).click();
        await expect.poll(() => page.locator(".mark-list li").count()).toBe(1);
        await page.getByRole("button", { name: "Undo" }).click();
        await expect.poll(() => page.locator(".mark-list li").count()).toBe(2);
        await page.getByRole("button", { name: "Remove all" }).click();
        await expect.poll(() => page.url()).not.toContain("marks=");
      });

    test("the critical path is a track, with its parts, forth and back",
      async () => {
        await page.getByRole("button", { name: "Critical path" }).click();
        await expect.poll(async () => (await names())[0])
          .toBe("Critical path");
        await page.getByRole("button", { name: /^What it is made of/ })
          .click();
        const panel =
          page.getByRole("complementary", { name: "Critical path" });
        await panel.locator(".t-row").first().waitFor();
        const piece = panel.locator(".piece .quiet");
        await page.keyboard.press(".");
        await expect.poll(() => piece.textContent()).toMatch(/ 1 of [\d,]+$/);
        await page.keyboard.press(".");
        await expect.poll(() => piece.textContent()).toMatch(/ 2 of /);
        await panel.getByRole("button", { name: /^Previous/ }).click();
        await expect.poll(() => piece.textContent()).toMatch(/ 1 of /);
      });

    test("groups and tracks go where they are dragged, and all are collapsed",
      async () => {
        const heads = () =>
          page.locator(".gutter-group b").allTextContents();
        const before = await heads();
        const at = async (text: string, row: string) => {
          const box = (await page.locator(row).filter({ has:
            page.locator("b").getByText(new RegExp(`^${text}`)) })
            .first().boundingBox())!;
          return { x: box.x + 60, y: box.y + box.height / 2 };
        };
        const busy = await at("Busy", ".gutter-track");
        const stream = await at("stream", ".gutter-track");
        await drag(page, busy, { x: stream.x, y: stream.y - 12 });
        await addressWith(page, /move=/);
        const last = await at(before.at(-1)!, ".gutter-group");
        const first = await at(before[0]!, ".gutter-group");
        await drag(page, last, { x: first.x, y: first.y - 6 });
        await expect.poll(async () => (await heads())[0])
          .toBe(before.at(-1));
        await addressWith(page, /order=/);
        // None was opened or closed by that.
        expect(page.url()).not.toContain("shut=");
        await page.getByRole("button", { name: "Collapse all groups" })
          .click();
        await expect.poll(() => page.locator(".gutter-track").count())
          .toBe(0);
        await page.getByRole("button", { name: "Open all groups" }).click();
        await expect.poll(() => page.locator(".gutter-track").count())
          .toBeGreaterThan(0);
      });

    test("what is unpinned or hidden by one click comes back by one",
      async () => {
        const all = await names();
        const row = page.locator(".gutter-track").last();
        await row.hover();
        await row.getByRole("button", { name: "Pin to the top" }).click();
        await page.getByRole("button", { name: /^Pinned 1/ }).click();
        await expect.poll(names).toEqual(all);
        await page.getByRole("button", { name: "Undo" }).click();
        await page.getByRole("button", { name: /^Pinned 1/ }).waitFor();
        await page.getByRole("button", { name: /^Pinned 1/ }).click();
        await page.locator(".gutter-track").first().hover();
        await page.locator(".gutter-track").first()
          .getByRole("button", { name: "Hide the track" }).click();
        await addressWith(page, /hide=/);
        await page.getByRole("button", { name: "Undo" }).click();
        await expect.poll(names).toEqual(all);
      });

    test("Tab is never trapped, and every control has a name of its own",
      async () => {
        await search(page, "elementwise");
        await page.waitForSelector(".details h2");
        await page.locator(".plot").focus();
        const row = /row=\d+/.exec(page.url())![0];
        await page.keyboard.press("Tab");
        await expect.poll(() => page.evaluate(() =>
          document.activeElement?.classList.contains("plot"))).toBe(false);
        expect(page.url()).toContain(row);
        const labels = await page.locator(".gutter button").evaluateAll(
          (list) => list.map((one) => one.getAttribute("aria-label") ??
            one.textContent));
        expect(labels.every(Boolean)).toBe(true);
        expect(new Set(labels).size).toBeGreaterThan(labels.length * 0.7);
        // One stop at the tracks; arrows go on from there.
        expect(await page.locator(".gutter [tabindex='0']").count()).toBe(1);
        await page.locator(".gutter [tabindex='0']").focus();
        const first = await focused();
        await page.keyboard.press("ArrowDown");
        await expect.poll(focused).not.toBe(first);
        await page.keyboard.press("ArrowRight");
        await expect.poll(focused).toMatch(/: /);
      });

    test("arrow keys begin at the first event without a selection",
      async () => {
        await page.locator(".plot").focus();
        await page.keyboard.press("ArrowRight");
        await page.waitForSelector(".details h2");
        await addressWith(page, /row=\d+/);
      });

    test("step columns are one stop of Tab, and arrows move along them",
      async () => {
        await goTo(page, "#/steps");
        const columns = page.locator(".columns .column");
        await columns.first().waitFor();
        expect(await page.locator(".columns .column[tabindex='0']").count())
          .toBe(1);
        await columns.first().focus();
        const first = await focused();
        await page.keyboard.press("ArrowRight");
        await expect.poll(focused).not.toBe(first);
        await page.keyboard.press("Enter");
        await page.waitForURL(/#\/trace\?.*from=/);
      });

    test("at twice the size the tracks are still there", async () => {
      await search(page, "elementwise");
      await page.waitForSelector(".details h2");
      await page.setViewportSize({ width: 720, height: 450 });
      await expect.poll(async () =>
        (await page.locator(".plot").boundingBox())!.height)
        .toBeGreaterThan(110);
      // And the details are as high as one likes.
      await page.setViewportSize({ width: 1440, height: 900 });
      const handle = page.getByRole("separator",
        { name: "Height of the details" });
      const height = async () =>
        (await page.locator(".details").boundingBox())!.height;
      const before = await height();
      await handle.focus();
      await page.keyboard.press("ArrowUp");
      await expect.poll(height).toBeGreaterThan(before);
    });

    test("the colours close by Escape and by a press outside", async () => {
      const list = page.locator(".legend-list");
      const button = page.locator(".legend-menu button");
      await button.click();
      await list.waitFor();
      await page.mouse.click(700, 500);
      await expect.poll(() => list.count()).toBe(0);
      await button.click();
      await list.waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => list.count()).toBe(0);
    });

    test("a table keeps its names, its way to the timeline, its widths",
      async () => {
        await page.setViewportSize({ width: 1024, height: 800 });
        await goTo(page, "#/operators?cols=name,calls,cpu.total_ns," +
          "cpu.avg_ns,cpu.max_ns,cpu.min_ns,self_cpu_ns,self_gpu_ns," +
          "gpu.total_ns,gpu.avg_ns&sort=-gpu.avg_ns");
        const box = page.locator(".t-box").first();
        await box.locator(".t-row").first().waitFor();
        const inside = async (place: string) => {
          const outer = (await box.boundingBox())!;
          const inner = (await box.locator(place).first().boundingBox())!;
          return inner.x >= outer.x - 1 &&
            inner.x + inner.width <= outer.x + outer.width + 1;
        };
        for (const place of ["[aria-sort=descending]", ".t-row .go button",
          ".t-row .name"])
          await expect.poll(() => inside(place)).toBe(true);
        const head = box.locator(".t-head [aria-sort=descending]");
        const wide = async () => (await head.boundingBox())!.width;
        const before = await wide();
        await head.getByRole("button").focus();
        await page.keyboard.press("Shift+ArrowRight");
        await expect.poll(wide).toBeGreaterThan(before);
        await addressWith(page, /wide=gpu/);
        const grip = (await head.locator(".grip").boundingBox())!;
        const from = { x: grip.x + 2, y: grip.y + 6 };
        const keyed = await wide();
        await drag(page, from, { x: from.x + 60, y: from.y });
        await expect.poll(wide).toBeGreaterThan(keyed + 40);
      });

    test("a file that is dropped on the page is opened", async () => {
      const drop = (name: string, text: string) => page.evaluate(
        ([file, content]) => {
          const data = new DataTransfer();
          data.items.add(new File([content!], file!));
          dispatchEvent(new DragEvent("drop", { dataTransfer: data,
            bubbles: true, cancelable: true }));
        }, [name, text]);
      await drop("notes.txt", "not a trace at all");
      await page.getByText("is not a trace that stepscope can read")
        .waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await drop("../mine.json", JSON.stringify({ traceEvents:
        [{ ph: "X", pid: 1, tid: 2, ts: 0, dur: 9, name: "dropped work" }] }));
      await page.locator(".topbar b").getByText("Dropped files").waitFor();
      await settled(page);
      await search(page, "dropped work");
      await expect.poll(() => page.locator(".found-count span").textContent())
        .toBe("1 of 1");
    });
  });

describe.skipIf(missing.length > 0)("many steps", () => {
  test("957 of them stay in their card, and are no fence", async () => {
    const events = Array.from({ length: 957 }, (_, n) => ({ ph: "X", pid: 1,
      tid: 1, ts: n * 1000, dur: 990, name: `ProfilerStep#${n}`,
      cat: "user_annotation" }));
    const text = JSON.stringify({ schemaVersion: 1, traceEvents: events });
    const served = await serve({});
    writeFileSync(`${served.folder}/many.json`, text);
    const browser = await launch();
    const { page, problems, close } = await openPage(browser, served.url);
    expect(await page.locator(".minimap .step").count()).toBe(0);
    await goTo(page, "#/overview");
    const spark = page.locator(".spark");
    await spark.waitFor();
    expect(await spark.locator("i").count()).toBeLessThanOrEqual(28);
    const overrun = await spark.evaluate((one) =>
      one.scrollWidth - one.clientWidth);
    expect(overrun).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
    await close();
    await browser.close();
    await served.stop();
  });
});

describe.skipIf(missing.length > 0)("after the server's end", () => {
  test("the page says so, in words without marks of code", async () => {
    const served = await serve({ "a.json.gz": FILE });
    const browser = await launch();
    const { page, close } = await openPage(browser, served.url);
    await served.stop();
    await page.locator(".gone").waitFor();
    expect(await page.locator(".gone").textContent()).not.toContain("`");
    await page.locator(".gone code").first().waitFor();
    await close();
    await browser.close();
  });
});

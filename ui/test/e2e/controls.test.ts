// SPDX-License-Identifier: Apache-2.0
//
// The controls that no other test uses: buttons of tracks, details and boxes,
// wheel and mouse, menus, dialogs, and the cancelling of an import.
import type { Browser, Page } from "playwright-core";
import {
  afterAll, afterEach, beforeAll, beforeEach, describe, expect, test,
} from "vitest";
import { seriousViolations } from "./axe.ts";
import {
  addressWith, drag, launch, mockServer, openPage, rangeOf, realServer,
  search, settled, startOver, type Served, type Session,
} from "./harness.ts";

const KERNEL = "elementwise";
const length = (range: { t0: number; t1: number }) => range.t1 - range.t0;

/** What the help lists; each is pressed in this file or in trace.test.ts. */
const LISTED = ["w s", "a d", "Shift w a s d", "wheel", "1", "2", "3", "4",
  "f", "m", "r", "/", "Enter", "← →", "↑ ↓", "] [", ". ,", "n",
  "double click", "Esc", "?"];

const REAL = realServer("torch_resnet50_amp.json.gz");

describe.each([mockServer, REAL])("controls of $name", (kind) => {
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

  const tracks = () => page.locator(".gutter-track b").allTextContents();
  const act = async (track: number, name: string) => {
    const row = page.locator(".gutter-track").nth(track);
    await row.hover();
    await row.getByRole("button", { name: `${name}: ` }).click();
  };
  const select = async (text: string) => {
    await search(page, text);
    await page.waitForSelector(".details h2");
  };

  test("the help lists the keys that are tested", async () => {
    await page.getByRole("button", { name: /^Shortcuts/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Keys and mouse").waitFor();
    const listed = await dialog.locator("dt").allInnerTexts();
    expect(listed.map((text) => text.trim().replace(/\s+/g, " ")))
      .toEqual(LISTED);
    // A click beside it closes it.
    await page.mouse.click(5, 5);
    await expect.poll(() => dialog.count()).toBe(0);
  });

  test("a track moves up", async () => {
    // The second of a group: the first of it has nowhere to go.
    const all = await tracks();
    const at = await page.evaluate(() => {
      const rows = [...document.querySelectorAll(".gutter > div")];
      const index = rows.findIndex((row, n) =>
        row.classList.contains("gutter-track") &&
        rows[n + 1]?.classList.contains("gutter-track") &&
        row.querySelector("b")?.textContent !==
          rows[n + 1]?.querySelector("b")?.textContent);
      return rows.slice(0, index).filter((row) =>
        row.classList.contains("gutter-track")).length;
    });
    expect(at).toBeGreaterThanOrEqual(0);
    await act(at + 1, "Move up");
    const wanted = [...all];
    [wanted[at], wanted[at + 1]] = [wanted[at + 1]!, wanted[at]!];
    await expect.poll(async () => (await tracks()).slice(at, at + 2))
      .toEqual(wanted.slice(at, at + 2));
    await page.reload();
    await settled(page);
    await expect.poll(async () => (await tracks()).slice(at, at + 2))
      .toEqual(wanted.slice(at, at + 2));
  });

  test("a deep track is folded to one row and opened", async () => {
    const deep = page.locator(".gutter-track").filter({ has:
      page.locator("[aria-label^='Fold to one row']") }).first();
    const height = async () => (await deep.boundingBox())!.height;
    const name = await deep.locator("b").textContent();
    const before = await height();
    await deep.hover();
    await deep.getByRole("button", { name: "Fold to one row" }).click();
    const folded = page.locator(".gutter-track").filter({ has:
      page.locator("[aria-label^='Open the track']") }).first();
    await folded.waitFor();
    await expect.poll(() => folded.locator("b").textContent()).toBe(name);
    await expect.poll(async () => (await folded.boundingBox())!.height)
      .toBeLessThan(before);
    await folded.hover();
    await folded.getByRole("button", { name: "Open the track" }).click();
    await expect.poll(height).toBe(before);
  });

  test("a pinned track is unpinned by its own button", async () => {
    const all = await tracks();
    await act(1, "Pin to the top");
    await expect.poll(async () => (await tracks())[0]).toBe(all[1]);
    await act(0, "Unpin");
    await expect.poll(tracks).toEqual(all);
  });

  test("a track is hidden and shown in the menu", async () => {
    const all = await tracks();
    await page.getByRole("button", { name: /^Tracks/ }).click();
    const first = page.locator(".tracks-menu input[type=checkbox]").first();
    await first.uncheck();
    await addressWith(page, /hide=\d+/);
    await first.check();
    await expect.poll(tracks).toEqual(all);
    // A click elsewhere closes the menu.
    await page.mouse.click(800, 20);
    await expect.poll(() => page.locator(".tracks-menu").count()).toBe(0);
  });

  test("Zoom, Mark and Clear of the details", async () => {
    await select(KERNEL);
    const before = await rangeOf(page);
    await page.getByRole("button", { name: /^Zoom F/ }).click();
    await expect.poll(async () => length(await rangeOf(page)))
      .toBeLessThan(length(before));
    await page.getByRole("button", { name: /^Mark M/ }).click();
    await addressWith(page, /marks=/);
    await page.getByRole("button", { name: /^Clear Esc/ }).click();
    await page.waitForSelector(".details.empty");
  });

  test("arguments open, callers lead to themselves", async () => {
    await select("aten::add_");
    const summary = page.locator(".details summary");
    if (await summary.count() > 0) {
      await summary.click();
      await page.locator(".details .args dt").first().waitFor();
    }
    const row = () => /row=(\d+)/.exec(page.url())?.[1];
    const before = row();
    await page.locator(".chain button").first().click();
    await expect.poll(row).not.toBe(before);
  });

  test("an event is chosen in the list for screen readers", async () => {
    await select(KERNEL);
    await page.keyboard.press("f");
    for (let n = 0; n < 8; n++) await page.keyboard.press("Shift+S");
    await settled(page);
    const row = () => /row=(\d+)/.exec(page.url())?.[1];
    const before = row();
    const list = page.getByLabel("Events in view on the selected track");
    await list.waitFor({ state: "attached" });
    // The list follows what is in view, so it may change while it is used.
    await expect.poll(async () => {
      await list.getByRole("button").last().evaluate((button) =>
        (button as HTMLElement).click()).catch(() => {});
      return row();
    }).not.toBe(before);
  });

  test("Zoom and Mark of a box; its flame graph goes deeper", async () => {
    const plot = (await page.locator(".plot").boundingBox())!;
    await drag(page, { x: plot.x + 400, y: plot.y + 40 },
      { x: plot.x + 700, y: plot.y + 300 });
    await page.waitForSelector(".flame button");
    const before = await rangeOf(page);
    await page.locator(".box-panel")
      .getByRole("button", { name: /^Zoom F/ }).click();
    await expect.poll(async () => length(await rangeOf(page)))
      .toBeLessThan(length(before));
    await page.locator(".box-panel")
      .getByRole("button", { name: /^Mark M/ }).click();
    await addressWith(page, /marks=/);
    const boxes = page.locator(".flame button");
    const width = async () => (await boxes.last().boundingBox())!.width;
    const narrow = await width();
    const title = await boxes.last().getAttribute("title");
    await boxes.last().click();
    await expect.poll(async () => {
      const all = await boxes.evaluateAll((list) => list.map((one) =>
        [one.getAttribute("title"), one.getBoundingClientRect().width]));
      return Math.max(...all.filter(([text]) => text === title)
        .map(([, wide]) => Number(wide)));
    }).toBeGreaterThan(narrow);
  });

  test("modes by click, Whole trace", async () => {
    for (const mode of ["Pan (2)", "Zoom (3)", "Measure (4)", "Select (1)"]) {
      const button = page.getByRole("radio", { name: mode });
      await button.click();
      await expect.poll(() => button.getAttribute("aria-checked")).toBe("true");
    }
    const whole = await rangeOf(page);
    await page.keyboard.press("Shift+W");
    await expect.poll(() => rangeOf(page)).not.toEqual(whole);
    await page.getByRole("button", { name: "Whole trace" }).click();
    await expect.poll(() => rangeOf(page)).toEqual(whole);
  });

  test("the wheel scrolls tracks, with Shift it moves in time", async () => {
    await page.setViewportSize({ width: 1600, height: 420 });
    await page.keyboard.press("Shift+W");
    const plot = (await page.locator(".plot").boundingBox())!;
    await page.mouse.move(plot.x + 300, plot.y + 60);
    const top = async () =>
      (await page.locator(".gutter").boundingBox())!.y;
    const before = await top();
    await page.mouse.wheel(0, 60);
    await expect.poll(top).toBeLessThan(before);
    const range = await rangeOf(page);
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, 200);
    await page.keyboard.up("Shift");
    await expect.poll(async () => (await rangeOf(page)).t0)
      .toBeGreaterThan(range.t0);
  });

  test("the middle button pans in any mode", async () => {
    await page.keyboard.press("Shift+W");
    const plot = (await page.locator(".plot").boundingBox())!;
    const before = await rangeOf(page);
    await page.mouse.move(plot.x + 600, plot.y + 200);
    await page.mouse.down({ button: "middle" });
    await page.mouse.move(plot.x + 500, plot.y + 200, { steps: 3 });
    await page.mouse.up({ button: "middle" });
    await expect.poll(async () => (await rangeOf(page)).t0)
      .toBeGreaterThan(before.t0);
    await expect.poll(async () => length(await rangeOf(page)))
      .toBeCloseTo(length(before), -1);
  });

  test("the minimap is dragged", async () => {
    await page.keyboard.press("Shift+W");
    await page.keyboard.press("Shift+W");
    const map = (await page.locator(".minimap-plot").boundingBox())!;
    await page.mouse.move(map.x + map.width * 0.2, map.y + 35);
    await page.mouse.down();
    const first = await rangeOf(page);
    await page.mouse.move(map.x + map.width * 0.7, map.y + 35, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await rangeOf(page)).t0)
      .toBeGreaterThan(first.t0);
  });

  test("the colours are a menu where the toolbar is short", async () => {
    const list = page.locator(".legend-menu ul");
    const wide = page.locator(".legend");
    const named = await wide.locator("li").allInnerTexts();
    expect(named.length).toBeGreaterThan(3);
    await page.setViewportSize({ width: 2200, height: 700 });
    await expect.poll(() => page.locator(".legend-menu").isVisible())
      .toBe(false);
    // Where some are cut off, the menu has them all.
    await page.setViewportSize({ width: 1600, height: 700 });
    await page.locator(".legend-menu").waitFor();
    await expect.poll(() => wide.isVisible()).toBe(true);
    await page.setViewportSize({ width: 1200, height: 700 });
    await expect.poll(() => wide.isVisible()).toBe(false);
    await page.locator(".legend-menu button").click();
    await list.waitFor();
    await expect.poll(() => list.locator("li").allInnerTexts()).toEqual(named);
    await page.keyboard.press("Escape");
    await expect.poll(() => list.isVisible()).toBe(false);
  });

  test("rows are lower by r and by the toolbar, and keep their place",
    async () => {
      const height = async () =>
        (await page.locator(".gutter-track").first().boundingBox())!.height;
      const checked = () => page.getByRole("radiogroup",
        { name: "Row height" }).locator("[aria-checked=true]")
        .getAttribute("aria-label");
      const usual = await height();
      // A call inside others: its lane is far down its track.
      await select("cudaLaunchKernel");
      const name = await page.locator(".details h2").textContent();
      for (const [rows, share] of [["compact", 0.75], ["dense", 0.6]] as
        const) {
        await page.keyboard.press("r");
        await expect.poll(() => page.url()).toContain(`rows=${rows}`);
        await expect.poll(async () => (await checked())!.toLowerCase())
          .toContain(rows);
        await expect.poll(height).toBeLessThan(usual * share);
      }
      await settled(page);
      // The box is a few pixels high: a click on it finds the same event.
      const box = await page.evaluate(() =>
        window.stepscopeTimeline.selected());
      expect(box!.height).toBeLessThanOrEqual(6);
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator(".details h2").count()).toBe(0);
      const plot = (await page.locator(".plot").boundingBox())!;
      await page.mouse.click(plot.x + box!.x + box!.width / 2,
        plot.y + box!.y + box!.height / 2);
      await expect.poll(() => page.locator(".details h2").textContent())
        .toBe(name);
      // Kept for the next visit; an address that says otherwise wins.
      await startOver(page);
      await expect.poll(checked).toContain("Dense");
      expect(await seriousViolations(page, { within: ".trace" })).toEqual([]);
      await page.getByRole("radio", { name: /^Normal rows/ }).click();
      await expect.poll(height).toBe(usual);
    });

  test("every view by its link; health by its button", async () => {
    for (const link of await page.locator("nav a").all()) {
      const title = await link.getAttribute("aria-label");
      await link.click();
      await expect.poll(() => page.title()).toBe(`${title} · stepscope`);
      await expect.poll(() => link.getAttribute("aria-current")).toBe("page");
      if (kind === mockServer) break;  // it has the timeline alone
    }
    await page.locator("nav button").first().click();
    await page.getByRole("dialog").locator("h1").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    if (kind === mockServer) session!.problems.length = 0;
  });
});

describe.skipIf(REAL.missing !== "")("an import that takes its time", () => {
  test("is cancelled, and opened again", async () => {
    const browser = await launch();
    const served = await REAL.start();
    const session = await openPage(browser, "about:blank", { wait: false });
    const { page } = session;
    // The server goes on reading until it is told to stop.
    const asked: string[] = [];
    await page.route(/\/api\/v1\/open/, (route) => route.fulfill({
      contentType: "application/json",
      body: '{"state":"loading","done":0,"total":0,"stage":"reading"}' }));
    await page.route(/\/api\/v1\/progress/, () => {});
    page.on("request", (request) =>
      asked.push(new URL(request.url()).pathname));
    await page.goto(served.url + "&/trace");
    await page.getByRole("progressbar", { name: "Import" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Opening was cancelled").waitFor();
    await expect.poll(() => asked).toContain("/api/v1/cancel");
    await page.unroute(/\/api\/v1\/open/);
    await page.unroute(/\/api\/v1\/progress/);
    await page.getByRole("button", { name: "Open it again" }).click();
    await settled(page);
    expect(session.problems).toEqual([]);
    await session.close();
    await browser.close();
    await served.stop();
  });
});

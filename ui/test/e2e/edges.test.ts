// SPDX-License-Identifier: Apache-2.0
//
// The timeline where it is easy to get wrong: before the first picture, with
// two traces, with tracks that are folded or out of sight.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { startMock } from "../mock/serve.mjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addressWith, browserPath, drag, launch, mockServer, openPage, rangeOf,
  realServer, search, selectedPoint, serve, settled, type Served, type Session,
} from "./harness.ts";

/** How far entries of a list step in, in pixels; each number once. */
const indentsOf = async (list: Locator) => [...new Set(await list.locator("li")
  .evaluateAll((entries) => entries.map((entry) =>
    parseFloat(getComputedStyle(entry).paddingLeft))))];

describe.skipIf(!browserPath)("edges of the timeline", () => {
  let browser: Browser;
  let served: Served;
  beforeAll(async () => {
    served = await mockServer.start();
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });
  /** A page of its own for each test, without a word of trouble. */
  const inPage = async (run: (page: Page) => Promise<void>,
    address = served.url, wait = true) => {
    const session: Session = await openPage(browser, address, { wait });
    try {
      await run(session.page);
      expect(session.problems).toEqual([]);
    } finally {
      await session.close();
    }
  };

  test("a pointer that comes before the first picture", async () => {
    const session = await openPage(browser, "about:blank", { wait: false });
    const { page } = session;
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    await page.route("**/api/v1/tiles*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(served.url + "&/trace");
    await page.waitForFunction(() => Boolean(window.stepscopeTimeline));
    const plot = (await page.locator(".plot").boundingBox())!;
    await page.mouse.move(plot.x + 300, plot.y + 200);
    await page.mouse.move(plot.x + 320, plot.y + 210);
    // The worker answers in order: it has seen the pointer when it says this.
    await page.evaluate(() => window.stepscopeTimeline.stats());
    release();
    await settled(page);
    await search(page, "elementwise");
    await expect.poll(() => page.url()).toMatch(/row=\d+/);
    await settled(page);
    const at = await selectedPoint(page);
    await page.mouse.move(at.x, at.y);
    await page.locator(".tooltip").waitFor();
    await session.close();
  });

  test("a box that is drawn after an event was selected", () =>
    inPage(async (page) => {
      await search(page, "elementwise");
      await addressWith(page, /row=\d+/);
      const plot = (await page.locator(".plot").boundingBox())!;
      await drag(page, { x: plot.x + 300, y: plot.y + 60 },
        { x: plot.x + 700, y: plot.y + 300 });
      await page.waitForSelector(".flame button");
      const events = () => page.locator(".box-panel h2").innerText();
      const before = await events();
      await expect.poll(() => addressWith(page, /box=/)).not.toMatch(/row=/);
      // A link to it shows the box again.
      await page.reload();
      await settled(page);
      await page.waitForSelector(".flame button");
      await expect.poll(events).toBe(before);
    }));

  /** Whether all of the selected event's height is seen. */
  const inSight = (page: Page) => page.evaluate(() => {
    const rect = window.stepscopeTimeline.selected();
    const plot = document.querySelector(".plot")!.clientHeight;
    return rect !== null && rect.y >= 26 && rect.y + rect.height <= plot;
  });

  test("a selected event is in sight beside its details", () =>
    inPage(async (page) => {
      // All rows fit above the line that says what to do, not above details.
      await page.setViewportSize({ width: 1200, height: 560 });
      await search(page, "elementwise");
      await page.waitForSelector(".details h2");
      await expect.poll(() => inSight(page)).toBe(true);
      // And in a link that also says the time.
      await page.keyboard.press("f");
      await addressWith(page, /from=.*row=/);
      await page.reload();
      await settled(page);
      await page.waitForSelector(".details h2");
      await expect.poll(() => inSight(page)).toBe(true);
    }));

  test("a match in a folded group, and on a hidden track", () =>
    inPage(async (page) => {
      for (const group of await page.locator(".gutter-group > button").all())
        await group.click();
      await expect.poll(() => page.locator(".gutter-track").count()).toBe(0);
      await search(page, "aten::linear");
      await expect.poll(() => inSight(page)).toBe(true);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Tracks/ }).click();
      await page.fill(".tracks-menu input[type=text]", "no such track");
      await page.locator(".tracks-menu input[type=text]").blur();
      await page.keyboard.press("Escape");
      await search(page, "aten::linear");
      await page.getByText("on a hidden track").waitFor();
    }));

  test("the menu lists the tracks that there are, and those alone", () =>
    inPage(async (page) => {
      const shown = page.locator(".gutter-track");
      const all = await shown.count();
      await page.getByRole("button", { name: /^Tracks/ }).click();
      const listed = page.locator(".tracks-menu li label");
      await expect.poll(() => listed.count()).toBe(all);
      // The group's detail is searched, too.
      await page.fill(".tracks-menu input[type=text]", "pid 393");
      await expect.poll(() => shown.count()).toBeLessThan(all);
      await expect.poll(() => listed.count()).toBe(await shown.count());
      await listed.filter({ hasText: "Stages" }).locator("input").uncheck();
      await expect.poll(() => shown.filter({ hasText: "Stages" }).count())
        .toBe(0);
      await listed.filter({ hasText: "Stages" }).locator("input").check();
      await shown.filter({ hasText: "Stages" }).waitFor();
    }));

  test("arrow keys go on after a click on a button that stays", () =>
    inPage(async (page) => {
      const row = () => /row=(\d+)/.exec(page.url())?.[1];
      await search(page, "aten::linear_inner");
      await page.waitForSelector(".details h2");
      await page.getByRole("button", { name: "Critical path" }).click();
      await addressWith(page, /path=1/);
      const before = row();
      await page.keyboard.press("ArrowUp");
      await expect.poll(row).not.toBe(before);
    }));

  test("an event that launched more than is listed", () =>
    inPage(async (page) => {
      await page.route("**/api/v1/event?*", async (route) => {
        const event = await (await route.fetch()).json();
        const one = event.launch ?? event;
        await route.fulfill({ json: { ...event, launch: null, ancestors: [],
          launched_count: 300, launched: Array.from({ length: 100 }, (_, n) =>
            ({ ...one, row: n })) } });
      });
      await search(page, "cudaLaunchKernel");
      const links = page.getByRole("region", { name: "Launched" });
      await links.getByText("100 of 300 launches shown").waitFor();
      await links.getByText("Arrows to 12 of them are drawn.").waitFor();
      await expect.poll(() => links.locator("li").count()).toBe(100);
      // Side by side, not one inside the other.
      expect(await indentsOf(links)).toEqual([0]);
    }));

  test("callers step in, from the outermost", () =>
    inPage(async (page) => {
      await page.route("**/api/v1/event?*", async (route) => {
        const event = await (await route.fetch()).json();
        const one = event.launch ?? event;
        await route.fulfill({ json: { ...event, launch: null, launched: [],
          ancestors: [1, 2, 3].map((n) => ({ ...one, row: n })) } });
      });
      await search(page, "cudaLaunchKernel");
      const callers = page.getByRole("region", { name: "Called by" });
      await callers.locator("li").nth(2).waitFor();
      expect(await indentsOf(callers)).toEqual([0, 9, 18]);
    }));

  test("a stroke on a trackpad that is not quite straight", () =>
    inPage(async (page) => {
      await page.setViewportSize({ width: 1200, height: 400 });
      await settled(page);
      const plot = (await page.locator(".plot").boundingBox())!;
      await page.mouse.move(plot.x + 300, plot.y + 60);
      const before = await rangeOf(page);
      await page.mouse.wheel(2, 60);
      await expect.poll(() => page.locator(".tracks")
        .evaluate((tracks) => tracks.scrollTop)).toBe(60);
      await expect.poll(() => rangeOf(page)).toEqual(before);
    }));

  test("a narrow window", () => inPage(async (page) => {
    await page.setViewportSize({ width: 600, height: 700 });
    await search(page, "elementwise");
    const wide = await page.evaluate(() =>
      document.documentElement.scrollWidth);
    expect(wide).toBe(600);
    const buttons = await page.locator(".trace .toolbar button:visible").all();
    expect(buttons.length).toBeGreaterThan(10);
    for (const button of buttons) {
      const { x, width } = (await button.boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(600);
    }
    await page.locator(".gutter-track").first().waitFor();
  }));

  test("names of thousands of letters", async () => {
    const mock = await startMock(0, (name) =>
      name === "aten::linear" ? name + "x".repeat(5000) : name);
    try {
      await inPage(async (page) => {
        await search(page, "aten::linearxxx");
        await page.waitForSelector(".details h2");
        await page.keyboard.press("f");
        await page.keyboard.press("m");
        const address = await addressWith(page, /from=.*marks=/);
        expect(address.length).toBeLessThan(600);
        await settled(page);
        const at = await selectedPoint(page);
        await page.mouse.move(at.x, at.y);
        const tooltip = page.locator(".tooltip");
        await tooltip.getByText("aten::linearxxx").waitFor();
        expect((await tooltip.boundingBox())!.height).toBeLessThan(140);
      }, mock.url);
    } finally {
      mock.close();
    }
  });

  test("a link to all events of one name", () => inPage(async (page) => {
    const all = page.getByRole("button", { name: /^Select (all|one)$/ });
    const pressed = () => all.getAttribute("aria-pressed");
    await search(page, "aten::linear_inner");
    await page.keyboard.press("f");
    await addressWith(page, /from=/);
    await settled(page);
    const at = await selectedPoint(page);
    await page.mouse.dblclick(at.x, at.y);
    await addressWith(page, /same=\d+/);
    await expect.poll(pressed).toBe("true");
    await page.reload();
    await settled(page);
    await expect.poll(pressed).toBe("true");
    // An event of another name ends it, in the address, too.
    await page.locator(".plot").focus();
    await page.keyboard.press("ArrowUp");
    await expect.poll(pressed).toBe("false");
    await expect.poll(() => page.url()).not.toMatch(/same=/);
  }));

  /** Changes an answer of the server on its way. */
  const changing = (page: Page, path: string,
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    change: (answer: any) => unknown) =>
    page.route(`**/api/v1/${path}?*`, async (route) =>
      route.fulfill({ json: change(await (await route.fetch()).json()) }));

  test("one event is not one events", async () => {
    const session = await openPage(browser, "about:blank", { wait: false });
    const { page } = session;
    await changing(page, "trace", (info) => ({ ...info, events: 1,
      tracks: info.tracks.map((track: object) => ({ ...track, events: 1 })) }));
    await changing(page, "event", (event) => ({ ...event,
      args: event.args.slice(0, 1), same_name: { ...event.same_name, calls: 1,
        histogram: { edges: [0, 1e9], counts: [1] } } }));
    await changing(page, "select", (box) => ({ ...box, events: 1 }));
    await changing(page, "flame", (flame) => ({ ...flame,
      boxes: flame.boxes.map((one: object) => ({ ...one, calls: 1 })) }));
    await page.goto(served.url + "&/trace");
    await settled(page);
    await search(page, "elementwise");
    await page.waitForSelector(".details h2");
    const plural = () => page.evaluate(() => [...document.body
      .querySelectorAll<HTMLElement>(".trace *")].flatMap((one) =>
      [one.title ?? "", one.ariaLabel ?? "", one.textContent])
      .flatMap((text) => text.match(/\b1 (events|calls|arguments)\b/) ?? []));
    expect(await plural()).toEqual([]);
    const plot = (await page.locator(".plot").boundingBox())!;
    await drag(page, { x: plot.x + 300, y: plot.y + 60 },
      { x: plot.x + 700, y: plot.y + 300 });
    await page.waitForSelector(".flame button");
    expect(await plural()).toEqual([]);
    expect(session.problems).toEqual([]);
    await session.close();
  });

  test("a trace without events says so", async () => {
    const session = await openPage(browser, "about:blank", { wait: false });
    const { page } = session;
    await changing(page, "trace", (info) => ({ ...info, events: 0, names: 0,
      span_ns: 1, groups: [], tracks: [], steps: [], stages: [] }));
    await page.goto(served.url + "&/trace");
    await page.getByText("This trace has no events").waitFor();
    await page.getByText("record again").waitFor();
    const head = page.locator(".minimap-head");
    await expect.poll(() => head.innerText()).toMatch(/no events$/);
    expect(await page.getByText("Click an event").count()).toBe(0);
    expect(session.problems).toEqual([]);
    await session.close();
  });

  const REAL = ["torch_cnn.json.gz", "torch_resnet50_amp.json.gz"];
  const missing = REAL.some((file) => realServer(file).missing);
  test.skipIf(missing)("a search, and then another trace", async () => {
    const two = await serve(REAL);
    try {
      await inPage(async (page) => {
        const found = page.locator(".found-count .quiet");
        await search(page, "aten::conv2d");
        await expect.poll(() => found.innerText()).toMatch(/^1 of \d+$/);
        const first = await found.innerText();
        // The count is of the trace that was searched, and of no other.
        const worker = page.getByLabel("Worker");
        const other = await worker.locator("option:checked").innerText() ===
          "torch_cnn" ? "torch_resnet50_amp" : "torch_cnn";
        await worker.selectOption({ label: other });
        await addressWith(page, /worker=/);
        await settled(page);
        expect(await found.count()).toBe(0);
        await page.keyboard.press("/");
        await page.keyboard.press("Enter");
        await found.waitFor();
        await expect.poll(() => found.innerText()).not.toBe(first);
      }, two.url);
    } finally {
      await two.stop();
    }
  });

  test.skipIf(missing)("a trace whose file is deleted", async () => {
    const two = await serve(REAL);
    try {
      await inPage(async (page) => {
        await search(page, "aten::conv2d");
        const shown = page.getByLabel("Worker").locator("option:checked");
        const before = await shown.innerText();
        for (const file of REAL) rmSync(join(two.folder!, file));
        await page.getByText("The file of this trace was deleted").waitFor();
        await expect.poll(() => shown.innerText()).toBe(before);
        // What was not asked for yet is there, too.
        await page.keyboard.press("f");
        await addressWith(page, /from=/);
        await settled(page);
        await page.locator(".details h2").waitFor();
      }, two.url);
    } finally {
      await two.stop();
    }
  });
});

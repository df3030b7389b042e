// SPDX-License-Identifier: Apache-2.0
//
// Every payload in every text of a trace, in every view, in the report and in
// the names of files: text, and nothing else. First the detector is shown
// payloads that do come to life, and a page with a defect planted in it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  EventInfo, Runs, SummaryDoc, TraceInfo,
} from "../../src/generated/answers.ts";
import { valueAt } from "../../src/model/declared.ts";
import { learnShort, shortName, tooltipName } from "../../src/model/names.ts";
import { buildWith } from "../planted.ts";
import { aliensOf, watch, type Watched } from "./detector.ts";
import {
  api, browserPath, goTo, launch, programPath, rangeOf, selectedPoint,
  serveFolder, settled, type Served,
} from "./harness.ts";
import {
  fileNames, operatorAt, SLOT_US, writeHostileFolder, writeHostileTrace,
} from "./hostile.ts";
import { PAYLOADS, type Payload } from "./payloads.ts";

/** Of tests that do the same for every payload: each step has its own end. */
const MANY_STEPS_MS = 900_000;
/** For them: what they look at is not in the picture. */
const SMALL = { width: 900, height: 480 };
const missing = [browserPath, programPath]
  .filter((path) => !path || !existsSync(path));

describe.skipIf(missing.length > 0)(
  `texts that want to be more (without ${missing.join(", ") || "nothing"})`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "stepscope-hostile-"));
    const trace = join(folder, "trace/run/p.json");
    let browser: Browser;
    let served: Served;
    let summary: SummaryDoc;
    beforeAll(async () => {
      mkdirSync(join(folder, "trace/run"), { recursive: true });
      writeHostileTrace(trace);
      browser = await launch();
      served = await serveFolder(join(folder, "trace"));
      summary = JSON.parse(execFileSync(programPath,
        ["summary", trace, "--format", "json"],
        { maxBuffer: 1 << 28, encoding: "utf8" })) as SummaryDoc;
    });
    afterAll(async () => {
      await browser?.close();
      await served?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Opens a view so tall that all rows of a table are elements. */
    async function show(view: string, more = "",
      options: Parameters<typeof watch>[1] = {}): Promise<Watched> {
      const watched = await watch(browser, { height: 9000, ...options });
      await watched.page.goto(`${served.url}&/${view}` +
        (more ? "?" + more : ""));
      await watched.page.locator("main h1, main .plot").first().waitFor();
      await watched.page.locator("main .message h1").filter({ hasText:
        /^(Looking|Loading|Opening|Reading|Building)/ }).first()
        .waitFor({ state: "detached" });
      const { runs } = await api<Runs>(served, "runs");
      const { t } = runs[0]!.workers[0]!.windows[0]!;
      learnShort((await api<TraceInfo>(served, `trace?t=${t}`)).short);
      return watched;
    }
    async function finish(watched: Watched) {
      expect(await watched.findings()).toEqual([]);
      await watched.close();
    }
    /** All texts and hints that are in the page now. */
    const textsOf = (page: Page) => page.evaluate(() => {
      const texts = new Set<string>();
      for (const element of document.querySelectorAll("main *")) {
        texts.add(element.textContent ?? "");
        texts.add(element.getAttribute("title") ?? "");
      }
      return [...texts];
    });
    async function expectAllShown(page: Page, names: string[]) {
      expect(names.length).toBeGreaterThanOrEqual(250);
      await expect.poll(async () => {
        const texts = new Set(await textsOf(page));
        return names.filter((name) =>
          !texts.has(name) && !texts.has(shortName(name)));
      }).toEqual([]);
    }

    test("there are 250 payloads or more, no two alike", () => {
      const texts = new Set(PAYLOADS.map((one) => one.text));
      expect(texts.size).toBe(PAYLOADS.length);
      expect(texts.size).toBeGreaterThanOrEqual(250);
    });

    test("the detector sees each payload that comes to life", async () => {
      const { page, findings, forget, close } = await watch(browser);
      await page.goto("about:blank");
      // A page as it must not be, outside the document so that it stays.
      const silent = await page.evaluate(
        `(${silentAmong.toString()})(${JSON.stringify(PAYLOADS)}, ` +
        `${aliensOf.toString()})`);
      expect(silent).toEqual([]);
      for (const { kind, text } of PAYLOADS) {
        if (kind !== "link") continue;
        forget();
        await expect.poll(async () => {
          await page.goto("about:blank");
          return page.evaluate((href) => {
            const link = document.createElement("a");
            link.setAttribute("href", href);
            document.body.append(link);
            link.click();
            // Its script runs when the page is next idle.
            return new Promise((done) => requestIdleCallback(done));
          }, text).then(async () => (await findings()).length,
            () => 1);  // it wrote another page in place of this one, or left
        }).toBeGreaterThan(0);
      }
      await close();
    });

    test("the detector sees a cell that is written as HTML", async () => {
      const dist = await buildWith({ file: "table/looks.tsx",
        from: "<Name text={cell} short={shortName(cell)} />",
        to: "<span class=\"name\" ref={(e) => { if (e) " +
          "e.innerHTML = cell; }} />" });
      try {
        // The policy refuses it, and that is seen;
        const kept = await show("operators", "", { dist });
        await expect.poll(async () => (await kept.findings()).join("\n"))
          .toMatch(/TrustedHTML/);
        await kept.close();
        // without the policy it would run, and that is seen as well.
        const bare = await show("operators", "", { dist, bypassCSP: true });
        await expect.poll(async () => (await bare.findings()).join("\n"))
          .toMatch(/script ran[^]*element </);
        await bare.close();
      } finally {
        rmSync(dist, { recursive: true, force: true });
      }
    });

    // What comes from the trace; "(no launch)" is the tool's own.
    const names = (rows: unknown[]) =>
      [...new Set(rows.map((row) => String(valueAt(row, "name"))))]
        .filter((name) => !name.startsWith("("));

    test("operators, by name and by shapes", async () => {
      const watched = await show("operators");
      await expectAllShown(watched.page, names(summary.operator));
      await watched.page.getByRole("button", { name: "By name and shapes" })
        .click();
      await watched.page.getByRole("columnheader", { name: "Shapes" })
        .waitFor();
      await expectAllShown(watched.page, names(summary.operator));
      await finish(watched);
    });

    test("GPU kernels, by name, attributes and copies", async () => {
      const watched = await show("kernels", "top=0");
      const { page } = watched;
      await page.getByLabel("How many rows").selectOption("0");
      await expectAllShown(page, names(summary.kernel));
      await page.getByRole("button", { name: "By name and attributes" })
        .click();
      await page.getByRole("columnheader", { name: "Grid" }).waitFor();
      await page.getByRole("button", { name: "Copies and sets" }).click();
      await finish(watched);
    });

    test("memory, all tables", async () => {
      for (const tab of ["", "tab=live", "tab=leaks"])
        await finish(await show("memory", tab));
      const watched = await show("memory", "tab=events");
      const { page } = watched;
      await page.getByRole("columnheader", { name: "Freed by" }).waitFor();
      const seen = new Set<string>();
      const grid = page.getByRole("grid");
      const [height, seenAtOnce] = await grid.evaluate((box) =>
        [box.scrollHeight, box.clientHeight]);
      for (let top = 0; top < height!; top += seenAtOnce! / 2) {
        await grid.evaluate(async (box, to) => {
          box.scrollTop = to;
          for (let n = 0; n < 3; n++)
            await new Promise(requestAnimationFrame);
        }, top);
        for (const text of await page.locator(".t-row [role=gridcell]")
          .allTextContents()) seen.add(text);
      }
      const shown = names(summary.operator).filter((name) =>
        seen.has(name) || seen.has(shortName(name)));
      expect(shown.length).toBeGreaterThanOrEqual(250);
      await finish(watched);
    });

    test.each([["overview", ""], ["overview", "events=time"],
      ["distributed", ""], ["steps", ""], ["steps", "tab=folded"],
      ["compare", ""]])("%s %s", async (view, more) => {
      const watched = await show(view, more);
      await watched.page.keyboard.press("?");
      await watched.page.getByRole("dialog").getByText("Keys and mouse")
        .waitFor();
      await watched.page.keyboard.press("Escape");
      await finish(watched);
    });

    test("every operator's arguments are in the details", async () => {
      const watched = await show("trace", "", SMALL);
      const { page } = watched;
      await settled(page);
      const wanted = (await operatorsOf(served)).map(({ row, name }) =>
        ({ row, names: [name, shortName(name)] }));
      await goTo(page, `#/trace?row=${wanted[0]!.row}`);
      await page.locator(".details h2").waitFor();
      await page.locator(".plot").focus();
      expect(await page.evaluate(walkDetails, wanted)).toBe(wanted.length);
      await finish(watched);
    }, MANY_STEPS_MS);

    test("the tooltip of every operator", async () => {
      const watched = await show("trace", "", { height: 700 });
      const { page } = watched;
      await settled(page);
      const operators = await operatorsOf(served);
      // To its row, and then so far out that one step fills the width: an
      // operator is some pixels of it.
      await goTo(page, `#/trace?row=${operators[0]!.row}`);
      await page.locator(".details h2").waitFor();
      await page.evaluate((range) => window.stepscopeTimeline.setRange(range),
        { t0: operatorAt(1, 0), t1: operatorAt(1, PAYLOADS.length) });
      await settled(page);
      const y = (await selectedPoint(page)).y;
      const plot = (await page.locator(".plot").boundingBox())!;
      const { t0, t1 } = await rangeOf(page);
      const places = operators.map(({ name }, n) => ({
        x: plot.x + plot.width *
          (operatorAt(1, n) + SLOT_US * 400 - t0) / (t1 - t0),
        names: [name, shortName(name)].map(tooltipName) }));
      expect(await page.evaluate(hoverEach, { y, places }))
        .toBe(PAYLOADS.length);
      await finish(watched);
    }, MANY_STEPS_MS);

    test("a box, its table and its flame graph", async () => {
      const watched = await show("trace", "", { height: 900 });
      const { page } = watched;
      await settled(page);
      // The thread with all operators is one of those that this finds.
      await page.getByRole("button", { name: /^Tracks/ }).click();
      await page.getByLabel("Filter tracks").fill(PAYLOADS[1]!.text);
      await page.keyboard.press("Escape");
      const plot = (await page.locator(".plot").boundingBox())!;
      await page.mouse.move(plot.x + 5, plot.y + 40);
      await page.mouse.down();
      await page.mouse.move(plot.x + plot.width / 2, plot.y + 200);
      await page.mouse.move(plot.x + plot.width - 5,
        plot.y + plot.height - 5);
      await page.mouse.up();
      await page.waitForSelector(".box-table tbody tr");
      await expectAllShown(page, names(summary.operator));
      await expect.poll(() => page.locator(".flame button").count())
        .toBeGreaterThanOrEqual(250);
      await finish(watched);
    });

    test("tracks by name, in the gutter and the menu", async () => {
      const watched = await show("trace", "", SMALL);
      const { page } = watched;
      await settled(page);
      await page.getByRole("button", { name: /^Tracks/ }).click();
      const wanted = new Set(PAYLOADS.map((one) => one.text.trim()));
      const seen = new Set<string>();
      // Only the first ones are listed at a time: each is asked for.
      await page.getByLabel("Filter tracks").waitFor();
      for (const name of await page.evaluate(filterEach,
        [...wanted].map((one) => one.slice(0, 60))))
        if (wanted.has(name)) seen.add(name);
      expect(seen.size).toBeGreaterThanOrEqual(250);
      await finish(watched);
    }, MANY_STEPS_MS);

    test("a search for each", async () => {
      const watched = await show("trace", "", SMALL);
      const { page } = watched;
      // Longer ones are refused: there is no such name to look for.
      const texts = PAYLOADS.map(({ text }) => text)
        .filter((text) => text.length <= 1000);
      expect(await page.evaluate(searchEach, texts))
        .toBeGreaterThanOrEqual(250);
      await finish(watched);
    }, MANY_STEPS_MS);

    test("an address that carries each", async () => {
      const watched = await show("trace", "", SMALL);
      const { page } = watched;
      const texts = PAYLOADS.map(({ text }) => text).filter((text) =>
        !/[\ud800-\udbff](?![\udc00-\udfff])/.test(text));
      await page.evaluate(async (values) => {
        for (const value of values) {
          location.hash = "#/operators?find=" + value + "&sort=" + value +
            "&run=" + value;
          for (let n = 0; n < 2; n++)
            await new Promise(requestAnimationFrame);
          while (!document.querySelector("main h1"))
            await new Promise(requestAnimationFrame);
        }
      }, texts.map((text) => encodeURIComponent(text.slice(0, 500))));
      await finish(watched);
    }, MANY_STEPS_MS);

    test.each([[[]], [["--redact"]]])("the report %s", async (more) => {
      const file = join(folder, "report.html");
      execFileSync(programPath,
        ["report", trace, "-o", file, "--top", "0", ...more]);
      const watched = await watch(browser, { height: 2000 });
      await watched.page.goto("file://" + file);
      await watched.page.locator("h1").first().waitFor();
      const text = await watched.page.locator("body").innerText();
      expect(text.includes("onerror")).toBe(more.length === 0);
      // Its own script is let in by its hash; others are aliens.
      const own = /^element <script/;
      expect((await watched.findings()).filter((one) => !own.test(one)))
        .toEqual([]);
      await watched.close();
    });

    test("names of folders and files", async () => {
      const files = join(folder, "files");
      const count = writeHostileFolder(files);
      expect(count).toBeGreaterThanOrEqual(250);
      const server = await serveFolder(files);
      const watched = await watch(browser, { height: 900 });
      const { page } = watched;
      await page.goto(server.url + "&/trace");
      await settled(page);
      const options = await page.getByLabel("Run").locator("option")
        .allTextContents();
      expect(options.length).toBe(count);
      for (const name of fileNames()) expect(options).toContain(name);
      for (const [n, name] of fileNames().entries()) {
        if (n % 8 !== 0) continue;
        await page.getByLabel("Run").selectOption({ label: name });
        await settled(page);
        expect(await page.getByLabel("Worker").locator("option")
          .count()).toBeGreaterThan(1);
      }
      await page.getByRole("link", { name: "Compare" }).click();
      await expect.poll(() => page.getByLabel("Compare with")
        .locator("option").count()).toBeGreaterThan(count);
      await finish(watched);
      await server.stop();
    });
  });

// What follows runs in the page, once for all payloads: a round trip for each
// of them is most of the time.

/** Arrow keys along all events; each has its own details and arguments. */
async function walkDetails(wanted: { row: number; names: string[] }[])
  : Promise<number> {
  let seen = 0;
  const text = (selector: string) =>
    document.querySelector(selector)?.textContent;
  for (const { row, names } of wanted) {
    while (!new RegExp(`row=${row}(&|$)`).test(location.hash) || !names
      .includes(text(".details .full") ?? text(".details h2 .mono") ?? ""))
      await new Promise(requestAnimationFrame);
    document.querySelector<HTMLDetailsElement>(".details details")!.open =
      true;
    if (document.querySelector<HTMLElement>(".details .args")!.innerText
      .includes("External id")) seen++;
    document.querySelector(".plot")!.dispatchEvent(new KeyboardEvent(
      "keydown", { key: "ArrowRight", bubbles: true }));
  }
  return seen;
}

/** Points at each place, until the tooltip has the name of what is there. */
async function hoverEach({ y, places }: { y: number;
  places: { x: number; names: string[] }[]; }): Promise<number> {
  const plot = document.querySelector(".plot")!;
  let seen = 0;
  for (const { x, names } of places) {
    plot.dispatchEvent(new PointerEvent("pointermove",
      { clientX: x, clientY: y, bubbles: true }));
    while (!names.includes(document.querySelector(".tooltip b")
      ?.textContent ?? "")) await new Promise(requestAnimationFrame);
    seen++;
  }
  return seen;
}

/** The names of tracks that are listed for each of these. */
async function filterEach(texts: string[]): Promise<string[]> {
  const seen = new Set<string>();
  for (const text of texts) {
    const input = document.querySelector<HTMLInputElement>(
      "[aria-label='Filter tracks']")!;
    input.value = text;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    for (const one of document.querySelectorAll(
      ".tracks-menu label span:first-of-type, .gutter b"))
      seen.add(one.textContent!.trim());
  }
  return [...seen];
}

/** Searches for each; how many of them the page took and showed. */
async function searchEach(texts: string[]): Promise<number> {
  let seen = 0;
  for (const text of texts) {
    const input = document.querySelector<HTMLInputElement>("#search")!;
    input.value = text;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    const typed = input.value.trim();
    if (typed === "") continue;
    input.form!.requestSubmit();
    while (document.querySelector(".found-count b")?.textContent?.trim() !==
      typed)
      await new Promise(requestAnimationFrame);
    seen++;
  }
  return seen;
}

/** In a page: the payloads that make nothing when they are taken for HTML. */
function silentAmong(payloads: Payload[], aliens: typeof aliensOf): string[] {
  const decoded = (text: string): string => {
    const area = document.createElement("textarea");
    area.innerHTML = text;
    return decodeURIComponent(area.value).replace(/\\(?:u00|x)([0-9a-f]{2})/g,
      (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  };
  return payloads.filter(({ kind, text }) => {
    if (kind !== "html" && kind !== "encoded") return false;
    const place = document.implementation.createHTMLDocument().body;
    const made = kind === "html" ? text : decoded(decoded(text));
    place.innerHTML = `<p title="${made}">${made}</p><p title='${made}'></p>`;
    return aliens(place).length === 0;
  }).map((one) => one.text);
}

/** The operators of the second step in their order, from the server. */
async function operatorsOf(served: Served)
  : Promise<{ row: number; name: string }[]> {
  const { runs } = await api<{ runs: { workers: {
    windows: { t: string }[]; }[]; }[]; }>(served, "runs");
  const t = runs[0]!.workers[0]!.windows[0]!.t;
  const eventAt = (row: number) =>
    api<EventInfo>(served, `event?t=${t}&row=${row}`);
  const wanted = operatorAt(1, 0);
  const find = (after: string) => api<{ row: number }>(served,
    `find?t=${t}&dir=next&q=` +
    encodeURIComponent(PAYLOADS[0]!.text) + "&" + after);
  // Other events have the name and the time, too.
  let event = await eventAt((await find(`from=${wanted}`)).row);
  while (event.class !== "operator" || event.start !== wanted)
    event = await eventAt((await find(`row=${event.row}`)).row);
  const found = [{ row: event.row, name: event.name }];
  while (found.length < PAYLOADS.length) {
    event = await eventAt(event.next!);
    found.push({ row: event.row, name: event.name });
  }
  return found;
}

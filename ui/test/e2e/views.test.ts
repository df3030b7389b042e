// SPDX-License-Identifier: Apache-2.0
//
// The table views in a real browser, on real traces and the real server: what
// is on screen is what `stepscope summary --format json` says.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type {
  AdviseDoc, CompareDoc, Runs, SummaryDoc, TraceInfo, WhatIfDoc,
} from "../../src/generated/answers.ts";
import { valueAt } from "../../src/model/declared.ts";
import { formatBytes, formatCount, formatShare, formatTime }
  from "../../src/model/format.ts";
import {
  browserPath, goTo, launch, openPage, programPath, rangeOf, serve, settled,
  tracePath,
  type Served, type Session,
} from "./harness.ts";
import { seriousInBothThemes } from "./axe.ts";
import { ask } from "./tables.ts";

const AMP = tracePath("torch_resnet50_amp.json.gz");
const RANK0 = tracePath("torch_ddp_gloo_rank0.json.gz");
const RANK1 = tracePath("torch_ddp_gloo_rank1.json.gz");
const NO_MEMORY = tracePath("torch_cuda_graph.json.gz");
const needed = [browserPath, programPath, AMP, RANK0, RANK1, NO_MEMORY];
const missing = needed.filter((path) => !path || !existsSync(path));

function documentOf<T>(...args: string[]): T {
  return JSON.parse(execFileSync(programPath, [...args, "--format", "json"],
    { maxBuffer: 1 << 28, encoding: "utf8" })) as T;
}

describe.skipIf(missing.length > 0)(
  `views (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let summary: SummaryDoc;
    let runs: Map<string, string>;
    let shared: Session | null = null;
    beforeAll(async () => {
      browser = await launch();
      server = await serve({ "amp/a.json.gz": AMP,
        "ddp/rank0.json.gz": RANK0, "ddp/rank1.json.gz": RANK1,
        "graph/g.json.gz": NO_MEMORY, "mixed/graph.json.gz": NO_MEMORY,
        "mixed/rank0.json.gz": RANK0, "mixed/rank1.json.gz": RANK1 });
      summary = documentOf("summary", AMP);
      runs = new Map((await ask<Runs>(server.url, "runs")).runs.map((run) =>
        [run.name, run.id]));
    });
    // A page in which something failed is not used again.
    afterEach(async ({ task }) => {
      if (task.result?.state === "pass") return;
      await shared?.close();
      shared = null;
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });

    /** Goes to a view of a run; waits until it has its title. */
    async function show(run: string, view: string, heading: string | RegExp,
      more = ""): Promise<Session> {
      shared ??= await openPage(browser, server.url + "&/steps",
        { wait: false });
      const { page } = shared;
      await goTo(page, `#/${view}?` + ["run=" +
        encodeURIComponent(runs.get(run)!), more].filter(Boolean).join("&"));
      await page.getByRole("heading", { level: 1, name: heading,
        exact: typeof heading === "string" }).waitFor();
      return shared;
    }
    const cell = (page: Page, row: number, column: number) =>
      page.locator(".t-row").nth(row).locator("[role=gridcell]").nth(column);
    const tab = (page: Page, name: string) =>
      page.getByRole("group", { name: "Table" })
        .getByRole("button", { name });
    const figure = (page: Page, key: string) =>
      page.locator(`[data-figure="${key}"]`);
    const without = (text: string) => text.replace(/\s/g, "");
    async function expectText(page: Page, selector: string, text: string) {
      const seen = await page.locator(selector).first().innerText();
      expect(without(seen)).toContain(without(text));
    }
    async function finish({ problems }: Session) {
      expect(problems).toEqual([]);
    }

    test("the overview says what the tool says", async () => {
      const advise = documentOf<AdviseDoc>("advise", AMP);
      const session = await show("amp", "overview", /The GPU works/);
      const { page } = session;
      await page.getByRole("heading", { level: 1,
        name: advise.advice[0]!.finding }).waitFor();
      const at = (key: string, text: string) =>
        expectText(page, `[data-figure="${key}"]`, text);
      await at("step", formatTime(summary.step_time!.period!.p50_ns));
      await at("busy", formatShare(advise.device_busy!));
      await at("memory", formatBytes(Math.max(
        ...summary.memory.map((one) => one.peak_allocated_bytes))));
      await page.getByText("known for 65.9").first().waitFor();
      for (const part of summary.waterfall!.parts) {
        if (part.time_ns === 0) continue;
        await expectText(page, `[data-part="${part.name}"]`,
          formatTime(part.time_ns / summary.steps.length));
        await expectText(page, `[data-part="${part.name}"]`,
          formatShare(part.ratio));
        // Its bar is as wide as its share of the lane.
        const lane = page.locator(`[data-part="${part.name}"] .part-place`);
        const wide = async (of: Locator) => (await of.boundingBox())!.width;
        const [bar, all] = [await wide(lane.locator("span")), await wide(lane)];
        expect(all).toBeGreaterThan(100);
        expect(Math.abs(bar - part.ratio * all)).toBeLessThan(3);
      }
      for (const row of summary.overview.gpu)
        await expectText(page, `[data-type="${row.type}"]`,
          formatTime(row.time_ns));
      for (const row of summary.model.slice(1))
        await expectText(page, `[data-stage="${row.name}"]`,
          formatTime(row.cpu.total_ns / summary.steps.length));
      await expect.poll(() => page.locator(".column").count())
        .toBe(summary.steps.length);
      await finish(session);
    });

    test("changes are replayed, and stand in the address", async () => {
      const whatif = documentOf<WhatIfDoc>("whatif", AMP,
        "--change", "graph", "--change", "no_sync");
      const session = await show("amp", "overview", /The GPU works/);
      const { page } = session;
      await page.getByLabel("Capture the step as one graph").check();
      await page.getByLabel("Never wait for the device").check();
      for (const one of whatif.changes) {
        await page.locator(`[data-change="${one.change}"]`).waitFor();
        await expectText(page, `[data-change="${one.change}"]`,
          formatTime(one.step_ns));
      }
      await expect.poll(() => page.url()).toContain("change=graph");
      // An own one is there once, and whole.
      const add = page.getByRole("button", { name: "Add", exact: true });
      for (let n = 0; n < 2; n++) {
        await page.getByLabel("Own change").fill("op:a;b=0.5");
        await add.click();
      }
      await expect.poll(() => page.locator(".change .mono").allInnerTexts())
        .toEqual(["op:a;b=0.5"]);
      await page.getByLabel("op:a;b=0.5").click();
      await page.getByLabel("Own change").fill("nonsense");
      await add.click();
      await page.locator(".whatif-result [role=alert]").waitFor();
      await finish(session);
    });

    test("the report is what the tool writes", async () => {
      const session = await show("amp", "overview", /The GPU works/);
      const { page } = session;
      const [download] = await Promise.all([page.waitForEvent("download"),
        page.getByRole("button", { name: "Export report" }).click()]);
      expect(download.suggestedFilename()).toMatch(/^[\w.-]+\.report\.html$/);
      const wanted = join(server.folder!, "wanted.html");
      execFileSync(programPath, ["report",
        join(server.folder!, "amp/a.json.gz"), "-o", wanted]);
      expect(readFileSync((await download.path())!, "utf8"))
        .toBe(readFileSync(wanted, "utf8"));
      // A refusal is said, and the button can be used again.
      await page.route(/\/api\/v1\/report/, (route) => route.fulfill({
        status: 404, contentType: "application/json",
        body: '{"error":"no such steps"}' }));
      await page.getByRole("button", { name: "Export report" }).click();
      await page.getByText("no such steps").waitFor();
      await page.unroute(/\/api\/v1\/report/);
      await page.getByRole("button", { name: "Export report" }).waitFor();
      await finish(session);
    });

    test("the overview's links lead where they say", async () => {
      const session = await show("amp", "overview", /The GPU works/);
      const { page } = session;
      // A button keeps its colour under the pointer, for its words are white.
      const open = page.getByRole("button", { name: "Open in Trace" });
      const colour = () => open.evaluate((one) =>
        getComputedStyle(one).backgroundColor);
      const before = await colour();
      await open.hover();
      expect(await colour()).toBe(before);
      const home = page.url();
      const back = () => goTo(page, new URL(home).hash);
      for (const [name, title] of [["All kernels", "GPU kernels"],
        ["All operators", "Operators"],
        ["Live at the peak", "Memory"]] as const) {
        await page.getByRole("main").getByText(name, { exact: true }).click();
        await page.getByRole("heading", { level: 1, name: title,
          exact: true }).waitFor();
        await back();
      }
      await page.locator(".finding").first()
        .getByText("Show on timeline").click();
      await page.waitForURL(/#\/trace\?.*from=\d+/);
      await back();
      await page.getByRole("button", { name: "Open in Trace" }).click();
      await settled(page);
      await finish(session);
    });

    test("a row by double click, by keys, and to the clipboard", async () => {
      const session = await show("amp", "operators", "Operators",
        "sort=name");
      const { page } = session;
      const grid = page.getByRole("grid", { name: "Operators" });
      const active = () => grid.locator(".t-row.active");
      const index = async () =>
        Number(await active().getAttribute("aria-rowindex"));
      // A double click opens what is inside, and shuts it.
      const outer = page.locator(".t-row", { has:
        page.locator(".opener") }).first();
      await outer.dblclick();
      await page.locator(".t-row.inside").first().waitFor();
      await outer.dblclick();
      await expect.poll(() => page.locator(".t-row.inside").count()).toBe(0);
      // A page of rows down and up again.
      await grid.focus();
      await page.keyboard.press("Home");
      await expect.poll(index).toBe(2);
      await page.keyboard.press("PageDown");
      const down = await index();
      expect(down).toBeGreaterThan(7);
      await page.keyboard.press("PageDown");
      await expect.poll(index).toBe(2 * down - 2);
      await page.keyboard.press("PageUp");
      await expect.poll(index).toBe(down);
      // The row itself, as text.
      const cells = await active().locator("[role=gridcell]:not(.go)")
        .evaluateAll((list) => list.map((one) =>
          one.getAttribute("title") ?? one.textContent));
      await page.keyboard.press("Control+c");
      await page.getByText("Copied the row.").waitFor();
      const copied = await page.evaluate(() =>
        navigator.clipboard.readText());
      expect(copied.trim().split("\n")).toHaveLength(1);
      expect(copied.split("\t")[0]).toBe(cells[0]);
      expect(copied.split("\t")).toHaveLength(cells.length);
      // The usual columns come back.
      await page.getByRole("button", { name: "Columns" }).click();
      const heads = () => grid.locator("[role=columnheader]").count();
      const usual = await heads();
      await page.getByRole("checkbox", { name: /^CPU p99/ }).check();
      await expect.poll(heads).toBe(usual + 1);
      await page.getByRole("button", { name: /^Show the usual/ }).click();
      await expect.poll(heads).toBe(usual);
      await expect.poll(() => page.url()).not.toContain("cols=");
      await page.keyboard.press("Escape");
      await finish(session);
    });

    test("stages by step and events by stage", async () => {
      const session = await show("amp", "overview", /The GPU works/);
      const { page } = session;
      await page.getByRole("button", { name: "CPU by step" }).click();
      await page.getByRole("group", { name: "Stages, cpu" }).waitFor();
      await page.getByRole("button", { name: "By stage" }).click();
      await page.getByRole("columnheader", { name: "On the GPU" }).waitFor();
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await expect.poll(() => page.url()).toMatch(/stages=cpu.*|events=share/);
      await finish(session);
    });

    test("operators: sort, search, columns, units, copy, CSV", async () => {
      const session = await show("amp", "operators", "Operators");
      const { page } = session;
      const first = (key: string) => [...summary.operator].sort((a, b) =>
        Number(valueAt(b, key)) - Number(valueAt(a, key)))[0];
      await page.getByText(`${summary.operator.length} rows`).waitFor();
      await page.getByRole("columnheader", { name: "CPU total" })
        .getByRole("button").click();
      const top = first("cpu.total_ns");
      await page.waitForFunction((name) => document.querySelector(
        ".t-row [role=gridcell]")?.textContent === name,
      valueAt(top, "name"));
      await expect.poll(() => cell(page, 0, 1).innerText())
        .toBe(formatCount(Number(valueAt(top, "calls"))));
      await expect.poll(() => cell(page, 0, 2).innerText())
        .toBe(formatTime(Number(valueAt(top, "cpu.total_ns"))));
      await page.getByLabel("Unit of times").selectOption("ns");
      await page.waitForFunction((text) => document.querySelectorAll(
        ".t-row [role=gridcell]")[2]?.textContent === text,
      formatCount(Number(valueAt(top, "cpu.total_ns"))));
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("checkbox", { name: /^CPU p99/ }).check();
      await page.getByRole("columnheader", { name: "CPU p99" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByLabel("Search in Operators").fill("/^aten::add_$/");
      await page.getByText(`1 of ${summary.operator.length} rows`).waitFor();
      await page.getByRole("button", { name: "Copy", exact: true }).click();
      const copied = await page.evaluate(() =>
        navigator.clipboard.readText());
      expect(copied.split("\n")[1]).toMatch(/^aten::add_\t/);
      const [download] = await Promise.all([page.waitForEvent("download"),
        page.getByRole("button", { name: "CSV" }).click()]);
      const csv = readFileSync((await download.path())!, "utf8");
      expect(csv.split("\n")[0]).toContain("cpu_total_ns");
      expect(csv.split("\n")[1]).toMatch(/^aten::add_,/);
      await page.getByLabel("Search in Operators").fill("/[/");
      await page.getByText("is not a regular expression").waitFor();
      await page.getByLabel("Search in Operators").fill("/^aten::add_$/");
      // A link shows a colleague the same thing.
      await page.waitForURL(/find=[^&]*add_/);
      await page.reload();
      await page.getByText(`1 of ${summary.operator.length} rows`).waitFor();
      await page.getByRole("columnheader", { name: "CPU p99" }).waitFor();
      await finish(session);
    });

    test("operators: what is inside, shapes, keys, timeline", async () => {
      const session = await show("amp", "operators", "Operators",
        "sort=name&find=/^aten::copy_$/");
      const { page } = session;
      await page.getByText("1 of").waitFor();
      await page.getByRole("grid").focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowRight");
      await page.locator(".t-row.inside").first().waitFor();
      await page.keyboard.press("ArrowLeft");
      await page.locator(".t-row.inside").first()
        .waitFor({ state: "detached" });
      await page.getByRole("button", { name: "By name and shapes" }).click();
      await page.getByRole("columnheader", { name: "Shapes" }).waitFor();
      await page.getByRole("button", { name: "By name", exact: true }).click();
      await page.getByText("1 of").waitFor();
      await page.getByRole("grid").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await page.waitForURL(/#\/trace\?.*row=\d+/);
      await finish(session);
    });

    test("operators: arithmetic beside a stated peak", async () => {
      const doc = documentOf<SummaryDoc>("summary", AMP, "--views",
        "mfu,flops", "--compute-peak", "989", "--memory-peak", "4800");
      const session = await show("amp", "operators", "Operators",
        "by=flops&cpeak=989&mpeak=4800");
      const { page } = session;
      await figure(page, "mfu").waitFor();
      expect(without(await figure(page, "mfu").innerText()))
        .toBe(without(formatShare(doc.mfu!.mfu!)));
      const points = doc.flops.filter((row) =>
        row.on_device && row.intensity !== null);
      expect(points.length).toBeGreaterThan(1);
      await expect.poll(() => page.locator(".roofline circle").count())
        .toBe(points.length);
      await page.locator(".roofline .roof").waitFor();
      // Without a peak: the same points, no share and no roof.
      for (const label of ["Peak of a device, TFLOP/s", "Its memory, GB/s"]) {
        await page.getByLabel(label).fill("");
        await page.keyboard.press("Enter");
      }
      await expect.poll(() => figure(page, "mfu").innerText()).toBe("–");
      await expect.poll(() => page.locator(".roofline .roof").count())
        .toBe(0);
      expect(await seriousInBothThemes(page, "main")).toEqual([[], []]);
      await finish(session);
    });

    test("kernels: attributes, copies, top, tensor cores", async () => {
      const session = await show("amp", "kernels", "GPU kernels");
      const { page } = session;
      await page.getByText(`${summary.kernel.length} rows`).waitFor();
      await page.getByText("of kernel time on tensor cores").waitFor();
      await expect.poll(() => cell(page, 0, 2).innerText()).toBe(formatTime(
        Number(valueAt(summary.kernel[0], "gpu.total_ns"))));
      await page.getByLabel("How many rows").selectOption("5");
      await page.getByText(`5 of ${summary.kernel.length} rows`).waitFor();
      await page.getByRole("button", { name: "By name and attributes" })
        .click();
      await page.getByRole("columnheader", { name: "Grid" }).waitFor();
      // Rows of one name go to the launch with their attributes.
      const rows = page.locator(".t-row");
      const grid = await rows.first().locator("[role=gridcell]").nth(2)
        .innerText();
      await rows.first().getByRole("button", { name: "Show on timeline" })
        .click();
      await page.waitForURL(/#\/trace\?.*row=\d+/);
      await page.locator(".details .facts", { hasText: grid }).waitFor();
      await page.goBack();
      await page.getByRole("button", { name: "Copies and sets" }).click();
      await page.getByText("Memset (Device)").waitFor();
      await page.getByRole("button", { name: "Without warm-up" }).click();
      await page.waitForURL(/steps=settled/);
      await finish(session);
    });

    test("memory: places, tables, a range of the curve", async () => {
      const session = await show("amp", "memory", "Memory");
      const { page } = session;
      const place = summary.memory.find((one) => /gpu/.test(one.place))!;
      await page.getByText(
        formatBytes(place.peak_allocated_bytes)).first().waitFor();
      await page.getByRole("button", { name: "Live at the peak" }).click();
      await page.getByText(String(valueAt(place.live_at_peak[0], "name")))
        .first().waitFor();
      await expect.poll(() => cell(page, 0, 1).innerText()).toBe(formatBytes(
        Number(valueAt(place.live_at_peak[0], "bytes"))));
      await page.getByRole("button", { name: /Leak candidates/ }).click();
      await page.getByText("Nothing grew in every step").waitFor();
      await tab(page, "Allocations").click();
      await page.getByRole("columnheader", { name: "Freed by" }).waitFor();
      const all = await page.locator(".rows-count").innerText();
      const plot = (await page.locator(".memory-map canvas").boundingBox())!;
      await page.mouse.move(plot.x + plot.width * 0.3, plot.y + 40);
      await page.mouse.down();
      await page.mouse.move(plot.x + plot.width * 0.35, plot.y + 40,
        { steps: 4 });
      await page.mouse.up();
      await page.waitForURL(/mfrom=\d+/);
      await page.waitForFunction((text) => {
        const now = document.querySelector(".rows-count")?.textContent;
        return now && now !== text;
      }, all);
      // The other tables are of that time too: fewer rows than of all.
      await tab(page, "By operator").click();
      await page.waitForFunction((most) => {
        const now = document.querySelector(".rows-count")?.textContent;
        return now && parseInt(now) > 0 && parseInt(now) < most;
      }, place.rows.length);
      await tab(page, "Allocations").click();
      await page.getByRole("button", { name: "show all" }).click();
      await page.getByText(all).waitFor();
      await page.getByRole("button", { name: "cpu", exact: true }).click();
      await page.waitForURL(/place=/);
      await finish(session);
    });

    test("memory: a range that is none is left out", async () => {
      const session = await show("amp", "memory", "Memory",
        "mfrom=abc&mto=5000000");
      const { page } = session;
      await page.getByRole("grid").first().waitFor();
      expect(await page.locator("main").innerText()).not.toContain("NaN");
      await finish(session);
    });

    test("distributed: rows of ranks lead to their rank", async () => {
      const session = await show("ddp", "distributed", /^Rank 1 makes/);
      const { page } = session;
      const card = (title: string) =>
        page.getByRole("region", { name: title, exact: true });
      const show1 = async (title: string, row: number) => {
        await card(title).locator(".t-row").nth(row)
          .getByRole("button", { name: "Show on timeline" }).click();
        await page.waitForURL(/#\/trace\?.*worker=all/);
        await settled(page);
      };
      // The step of a rank: its time, and the threads of the rank on top.
      const doc = documentOf<SummaryDoc>("summary", server.folder + "/ddp");
      const steps = doc["rank_steps"] as { rank: number; step_ns: number }[];
      const at = steps.findIndex((one) => one.rank === 1);
      await card("Ranks, step by step").locator(".t-row").nth(at).waitFor();
      await show1("Ranks, step by step", at);
      const { t0, t1 } = await rangeOf(page);
      expect((t1 - t0) / steps[at]!.step_ns).toBeCloseTo(1.06, 1);
      const pinned = /pin=([\d%C,]+)/.exec(page.url())![1]!;
      const info = await ask<TraceInfo>(server.url, "trace?t=" +
        (await ask<Runs>(server.url, "runs")).runs.find((run) =>
          run.name === "ddp")!.all!.t);
      for (const [n, id] of decodeURIComponent(pinned).split(",").entries()) {
        const track = info.tracks.find((one) => one.id === Number(id))!;
        await expect.poll(() =>
          page.locator(".gutter-track b").nth(n).textContent())
          .toBe(`Rank 1 · ${track.name}`);
        expect(info.groups.find((one) => one.id === track.group)!.name)
          .toMatch(/^Rank 1 /);
      }
      // Who makes others wait, and a collective.
      await page.goBack();
      await show1("Who makes the others wait", 0);
      await page.goBack();
      await show1("Collectives", 0);
      await page.locator(".details h2", { hasText: /all_?reduce/i }).waitFor();
      await finish(session);
    });

    test("distributed: of two jobs in a folder, one is chosen", async () => {
      const session = await show("mixed", "distributed", /./);
      const { page } = session;
      const jobs = page.getByRole("group", { name: "Job", exact: true });
      // That of the worker that is shown, which has no others.
      await jobs.getByRole("button", { name: "graph.json.gz", pressed: true })
        .waitFor();
      await page.getByText("This job has one worker").waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      expect(await seriousInBothThemes(page)).toEqual([[], []]);
      await jobs.getByRole("button", { name: "rank0.json.gz and 1 more" })
        .click();
      await page.waitForURL(/[?&]job=\w+/);
      const ranks = page.getByRole("region", { name: "Ranks", exact: true });
      await ranks.locator(".t-row").nth(1).waitFor();
      await ranks.locator(".t-row").first()
        .getByRole("button", { name: "Show on timeline" }).click();
      await page.waitForURL(/#\/trace\?.*worker=\w+\.\w+/);
      await settled(page);
      await page.locator(".picker b", { hasText: "rank0 and 1 more" })
        .waitFor();
      await expect.poll(() => page.locator(".gutter").textContent())
        .toContain("Rank 0 ");
      // All of them have no timeline: which job is it to be?
      await page.getByLabel("Worker", { exact: true })
        .selectOption({ label: "All workers" });
      await page.getByText("This run has traces of 2 jobs").waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.getByRole("button", { name: "graph" }).click();
      await settled(page);
      await finish(session);
    });

    test("steps: figures, outliers, folded, to the timeline", async () => {
      const session = await show("amp", "steps", "Steps");
      const { page } = session;
      const period = summary.step_time!.period!;
      await expect.poll(() => figure(page, "median").innerText())
        .toBe(formatTime(period.p50_ns));
      await expect.poll(() => figure(page, "longest").innerText())
        .toBe(formatTime(period.max_ns));
      await expect.poll(() => cell(page, 0, 2).innerText())
        .toBe(formatTime(summary.steps[0]!.period_ns));
      await page.getByRole("button", { name: /Outliers/ }).click();
      await page.getByText("No step takes much longer").waitFor();
      await page.getByRole("button", { name: "Folded" }).click();
      await page.locator(".fold").first().waitFor();
      await page.getByRole("button", { name: /^Step 9:/ }).click();
      await page.waitForURL(/#\/trace\?.*from=\d+/);
      await finish(session);
    });

    test("compare: verdict, significance, parts", async () => {
      const doc = documentOf<CompareDoc>("compare", RANK0, RANK1);
      const session = await show("ddp", "compare", "Compare");
      const { page } = session;
      await page.getByLabel("Worker").selectOption({ index: 2 });
      const with0 = await page.getByLabel("Compare with")
        .locator("option", { hasText: "rank0" }).first()
        .getAttribute("value");
      await page.getByLabel("Compare with").selectOption(with0!);
      // The command line says A and B where the page says the files.
      const words = doc.summary.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
        .replace(" in A and ", " in \\S*rank0\\S* and ")
        .replace(" in B ", " in \\S*rank1\\S* ").replace(/ /g, "\\s");
      await page.getByText(/^Details/).click();
      await page.getByText(new RegExp(words)).waitFor();
      await expect.poll(() => figure(page, "a").innerText())
        .toBe(formatTime(doc.median_a_ns));
      await page.getByRole("button", { name: "Kernels" }).click();
      const kernels = doc.rows.filter((row) => row.table === "kernel").length;
      await page.getByText(`${kernels} rows`).waitFor();
      await finish(session);
    });

    test("what was not recorded says what to do", async () => {
      const memory = await show("graph", "memory",
        "No memory events in this trace");
      await memory.page.getByText("profile_memory=True").waitFor();
      await finish(memory);
    });

    const looks: [string, string, string | RegExp, string][] = [
      ["amp", "overview", /The GPU works/, "change=graph&events=time"],
      ["amp", "overview", /The GPU works/, "stages=cpu&events=share"],
      ["amp", "operators", "Operators", ""],
      ["amp", "operators", "Operators", "by=shape"],
      ["amp", "kernels", "GPU kernels", ""],
      ["amp", "kernels", "GPU kernels", "by=launch"],
      ["amp", "memory", "Memory", ""],
      ["amp", "memory", "Memory", "tab=events"],
      ["amp", "memory", "Memory", "tab=live"],
      ["amp", "steps", "Steps", ""],
      ["amp", "steps", "Steps", "tab=folded"],
      ["graph", "memory", /No memory events/, ""],
      ["ddp", "distributed", /./, ""], ["ddp", "compare", "Compare", ""],
    ];
    test.each(looks)("axe finds nothing serious: %s %s %s %s",
      async (run, view, heading, more) => {
        const session = await show(run, view, heading, more);
        const { page } = session;
        if (more.includes("change"))
          await page.locator("[data-change=graph]").waitFor();
        expect(await seriousInBothThemes(page)).toEqual([[], []]);
        // Its menu, too: beside it nothing has changed.
        const columns = page.getByRole("button", { name: "Columns" });
        if (await columns.count() > 0) {
          await columns.first().click();
          await page.getByRole("group", { name: "Columns" }).waitFor();
          expect(await seriousInBothThemes(page,
            "[role=group][aria-label=Columns]")).toEqual([[], []]);
          await page.keyboard.press("Escape");
        }
        await finish(session);
      });
  });

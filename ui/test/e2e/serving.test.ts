// SPDX-License-Identifier: Apache-2.0
//
// An inference server: iterations by kind, requests with their phases, and the
// way from a request to its kernels and back. Figures are those of
// `stepscope summary --format json`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  DeclaredColumn, DeclaredTable, HitsInfo, RequestInfo, RequestList, Runs,
  TraceInfo,
} from "../../src/generated/answers.ts";
import { valueAt } from "../../src/model/declared.ts";
import { formatTime } from "../../src/model/format.ts";
import {
  browserPath, goTo, launch, openPage, programPath, rangeOf, serve, settled,
  tracePath, type Served, type Session,
} from "./harness.ts";
import { seriousInBothThemes } from "./axe.ts";
import { ask, expectTable, rowsOfObjects } from "./tables.ts";

const FIXTURE = resolve(import.meta.dirname,
  "../../../tests/fixtures/serving/h200_toy_graph_async");
const MAKER = join(dirname(programPath), "viewer_serving_trace");
const TRAINING = tracePath("torch_cnn.json.gz");
const missing = [browserPath, programPath, MAKER, TRAINING]
  .filter((path) => !path || !existsSync(path));

interface Summary {
  iterations: { kinds: Record<string, unknown>[] };
  requests: { total_busy_ns: number; outside_ns: number; unknown_ns: number;
    list: Record<string, unknown>[] };
}

describe.skipIf(missing.length > 0)(
  `a server (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let session: Session;
    let page: Page;
    let summary: Summary;
    const byRule = new Map<string, Summary>();
    let runs: Record<string, { id: string; t: string }>;
    let tables: DeclaredTable[];
    const folder = mkdtempSync(join(tmpdir(), "stepscope-serving-"));
    beforeAll(async () => {
      const capture = join(folder, "server.sscap");
      execFileSync(MAKER,
        [`${FIXTURE}.json.gz`, `${FIXTURE}.truth.json`, capture]);
      for (const bill of ["tokens", "requests", "decode-first"])
        byRule.set(bill, JSON.parse(execFileSync(programPath, ["summary",
          capture, "--views", "iterations,requests", "--format", "json",
          "--bill", bill],
        { maxBuffer: 1 << 28, encoding: "utf8" })) as Summary);
      summary = byRule.get("tokens")!;
      browser = await launch();
      server = await serve({ "server/server.sscap": capture,
        "marks/marks.json.gz": `${FIXTURE}.json.gz`,
        "training/cnn.json.gz": TRAINING });
      runs = Object.fromEntries((await ask<Runs>(server.url, "runs")).runs
        .map((run) => [run.name, { id: run.id,
          t: run.workers[0]!.windows[0]!.t }]));
      tables = (await ask<{ tables: DeclaredTable[] }>(
        server.url, "tables")).tables;
      session = await openPage(browser, server.url + "&/serving?run=" +
        runs["server"]!.id, { wait: false });
      page = session.page;
      await heading("Serving");
    });
    afterAll(async () => {
      await session?.close();
      await browser?.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const heading = (name: string | RegExp) => page.getByRole("heading",
      { level: 1, name }).waitFor();
    const show = (run: string, view: string, more = "") =>
      goTo(page, `#/${view}?run=${runs[run]!.id}${more}`);
    const inside = (key: string, list: string) => tables
      .find((one) => one.key === key)!.columns
      .find((one) => one.key === list)!.columns!;
    const all = (columns: DeclaredColumn[]) =>
      columns.map((one) => one.key).join(",");
    const lanes = () => page.getByRole("listbox",
      { name: "Requests by arrival" });
    const panel = () => page.getByRole("complementary",
      { name: "Chosen request or iteration" });
    const chart = () => page.getByRole("application",
      { name: /iterations over time/ });

    test("has the figures of the command", async () => {
      const kinds = inside("iterations", "kinds");
      const requests = inside("requests", "list");
      await show("server", "serving", `&kind.cols=${all(kinds)}` +
        `&as=table&req.cols=${all(requests)}`);
      await expectTable(page, "Iterations by kind",
        rowsOfObjects(kinds, summary.iterations.kinds));
      const { origin_ns: origin } = await ask<TraceInfo>(server.url,
        "trace?t=" + runs["server"]!.t);
      await expectTable(page, "Requests",
        rowsOfObjects(requests, summary.requests.list, Number(origin)));
      // Nearest rank, of the requests that the command lists.
      for (const [key, of] of [["ttft", "ttft_ns"], ["tpot", "tpot_ns"],
        ["queue", "queue_ns"]] as const) {
        const values = summary.requests.list.map((one) => Number(one[of]))
          .sort((a, b) => a - b);
        for (const [name, share] of [["p50", 0.5], ["p99", 0.99]] as const)
          expect(await page.locator(`[data-latency=${key}] ` +
            `[data-figure=${name}]`).innerText()).toBe(formatTime(
            values[Math.ceil(values.length * share) - 1]!));
      }
      for (const row of summary.iterations.kinds) {
        await page.getByLabel("Kind of iteration")
          .selectOption(String(row["kind"]));
        const period = page.locator(`[data-latency="period.${row["kind"]}"]`);
        expect(await period.locator("[data-figure=p90]").innerText())
          .toBe(formatTime(Number(valueAt(row, "period_ns.p90"))));
      }
    });

    test("leads from a request to its kernels and back", async () => {
      await show("server", "serving");
      await lanes().waitFor();
      expect(await lanes().getByRole("option").count())
        .toBe(summary.requests.list.length);
      await lanes().focus();
      for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"])
        await page.keyboard.press(key);
      await expect.poll(() => page.url()).toContain("request=2");
      const wanted = summary.requests.list[2]!;
      await panel().getByRole("heading", { name: String(wanted["id"]) })
        .waitFor();
      for (const key of ["queue_ns", "ttft_ns", "tpot_ns", "gpu_ns",
        "gpu_prefill_ns", "gpu_decode_ns"])
        expect(await panel().locator(`[data-figure=${key}]`).innerText())
          .toBe(formatTime(Number(wanted[key])));
      expect(await panel().locator(".parts-of li").count())
        .toBe(Number(wanted["iterations"]));
      // One of its iterations, and back by the browser.
      await panel().locator(".parts-of button").first().click();
      await panel().getByRole("heading", { name: /^Iteration \d+: / })
        .waitFor();
      expect(page.url()).toMatch(/iteration=\d+/);
      await page.goBack();
      await panel().getByRole("heading", { name: String(wanted["id"]) })
        .waitFor();

      await panel().getByRole("button", { name: "Show on timeline" }).click();
      await settled(page);
      const { t } = runs["server"]!;
      const request = await ask<RequestInfo>(server.url,
        `request?t=${t}&index=2`);
      const range = await rangeOf(page);
      expect(range.t0).toBeLessThanOrEqual(request.start);
      expect(range.t1).toBeGreaterThanOrEqual(request.start + request.dur);
      await page.getByText(`What the device did for ${wanted["id"]}`)
        .waitFor();
      // A kernel of an iteration that it was in names it, and leads back.
      const { rows } = await ask<HitsInfo>(server.url, `hits?t=${t}&q=ArgMax`);
      const list = await ask<RequestList>(server.url, `requests?t=${t}`);
      const [begin, end] = [list.decode[2]!, list.decode[2]! +
        list.decode_dur[2]!];
      const kernel = rows.find((one) => one.class === "kernel" &&
        one.start > begin && one.start + one.dur < end)!;
      await goTo(page, `${new URL(page.url()).hash}&row=${kernel.row}`);
      const facts = page.getByRole("region", { name: "Event", exact: true });
      await facts.getByText("Iteration", { exact: true }).waitFor();
      expect(await facts.locator(".request-links button").count())
        .toBeGreaterThan(0);
      await facts.getByRole("button", { name: String(wanted["id"]),
        exact: true }).click();
      await heading("Serving");
      expect(await lanes().locator("[aria-selected=true]").textContent())
        .toMatch(new RegExp(`^${wanted["id"]}.*queue `));
      await page.goBack();
      await settled(page);
    });

    test("device time is shared by the rule that is chosen", async () => {
      const figure = (key: string) =>
        panel().locator(`[data-figure=${key}]`).innerText();
      const rule = () => page.getByLabel("Device time");
      const expectBills = async (bill: string) => {
        const wanted = byRule.get(bill)!.requests.list[2]!;
        await expect.poll(() => figure("gpu_decode_ns"))
          .toBe(formatTime(Number(wanted["gpu_decode_ns"])));
        expect(await figure("gpu_prefill_ns"))
          .toBe(formatTime(Number(wanted["gpu_prefill_ns"])));
      };
      // Whatever the rule, to the nanosecond.
      for (const { requests } of byRule.values())
        expect(requests.list.reduce((sum, one) => sum + Number(one["gpu_ns"]),
          requests.outside_ns + requests.unknown_ns))
          .toBe(requests.total_busy_ns);
      await show("server", "serving", "&request=2");
      await expectBills("tokens");
      await rule().selectOption("requests");
      await expectBills("requests");
      await rule().selectOption({ label: "Decode first" });
      await expectBills("decode-first");
      expect(page.url()).toContain("bill=decode-first");
      // From a link, and in the table; the usual rule needs no word.
      await show("server", "serving", "&request=2&bill=requests&as=table");
      await expectBills("requests");
      const columns = inside("requests", "list").filter(({ key }) =>
        key.startsWith("gpu_") || key === "id");
      await goTo(page, `${new URL(page.url()).hash}` +
        `&req.cols=${all(columns)}`);
      await expectTable(page, "Requests", rowsOfObjects(columns,
        byRule.get("requests")!.requests.list));
      await rule().selectOption("tokens");
      await expectBills("tokens");
      expect(page.url()).not.toContain("bill=");
    });

    test("the batch is moved along and zoomed", async () => {
      await show("server", "serving");
      await chart().focus();
      await page.keyboard.press("ArrowRight");
      await page.locator(".batch-status", { hasText: "Iteration 0: " })
        .waitFor();
      await page.keyboard.press("Enter");
      await expect.poll(() => page.url()).toContain("iteration=0");
      await panel().getByText("Prefill").first().waitFor();
      const box = (await chart().boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 3 });
      await page.mouse.up();
      await expect.poll(() => page.url()).toMatch(/from=\d+&.*to=\d+/);
      await page.getByText(/\d+ of 14 in view/).waitFor();
      await page.goBack();
      await expect.poll(() => page.url()).not.toMatch(/from=/);
      await page.getByText("all 14 in view").waitFor();
    });

    test("is for everybody, at every width", async () => {
      await show("server", "serving", "&request=3");
      await panel().getByRole("button", { name: "Show on timeline" })
        .waitFor();
      expect(await seriousInBothThemes(page)).toEqual([[], []]);
      for (const width of [1024, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => page.evaluate(() => {
          const main = document.querySelector("main")!;
          return main.scrollWidth - main.clientWidth;
        })).toBeLessThanOrEqual(0);
      }
      // On the timeline: the track of iterations, and its legend.
      await show("server", "trace", "&request=3");
      await settled(page);
      await page.getByRole("group", { name: "Iterations" }).waitFor();
      expect(await seriousInBothThemes(page, ".trace")).toEqual([[], []]);
      await show("server", "overview");
      const kinds = page.getByRole("region", { name: "Iterations" });
      await kinds.waitFor();
      for (const row of summary.iterations.kinds)
        expect(await kinds.locator(`[data-kind=${row["kind"]}]`).innerText())
          .toContain(formatTime(Number(valueAt(row, "period_ns.p50"))));
      expect(session.problems).toEqual([]);
    });

    test("without requests it says so; training has no such view",
      async () => {
        await show("marks", "serving");
        await page.getByText("This trace does not say which requests")
          .waitFor();
        await chart().waitFor();
        const link = page.getByRole("link", { name: "Serving" });
        expect(await link.count()).toBe(1);
        await show("training", "overview");
        await page.getByRole("region", { name: "Where a step goes" })
          .waitFor();
        expect(await link.count()).toBe(0);
        expect(session.problems).toEqual([]);
      });
  });

// SPDX-License-Identifier: Apache-2.0
//
// Folders of several traces: the list that they open on, and all ranks of a
// job at once.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FlatTable, JobInfo, Runs, SqlSchema, SummaryDoc }
  from "../../src/generated/answers.ts";
import { valueAt } from "../../src/model/declared.ts";
import { formatTime } from "../../src/model/format.ts";
import {
  api, browserPath, goTo, launch, openPage, programPath, serve, serveFolder,
  settled, tracePath,
  type Served, type Session,
} from "./harness.ts";
import { seriousInBothThemes } from "./axe.ts";

const RANK0 = tracePath("torch_ddp_gloo_rank0.json.gz");
const RANK1 = tracePath("torch_ddp_gloo_rank1.json.gz");
const NCCL = tracePath("hta_nccl.json.gz");
const CNN = tracePath("torch_cnn.json.gz");
const HOST = tracePath("paddle/paddle33_cnn.paddle_trace.json.gz");
const missing = [browserPath, programPath, RANK0, RANK1, NCCL, CNN, HOST]
  .filter((path) => !path || !existsSync(path));

const summaryOf = (...args: string[]) => JSON.parse(execFileSync(programPath,
  ["summary", ...args, "--format", "json"],
  { maxBuffer: 1 << 28, encoding: "utf8" })) as SummaryDoc;
const rowOf = (page: Page, text: string) =>
  page.locator(".t-row", { hasText: text });

describe.skipIf(missing.length > 0)(
  `folders (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    beforeAll(async () => { browser = await launch(); });
    afterAll(() => browser?.close());

    /** A page at the address that the command prints, and nothing else. */
    async function arrive(served: Served): Promise<Session> {
      const { origin, hash } = new URL(served.url);
      return openPage(browser, `${origin}/${hash}&/`, { wait: false });
    }

    describe("ranks of one job", () => {
      let served: Served;
      let session: Session;
      beforeAll(async () => {
        served = await serve(
          { "rank0.json.gz": RANK0, "rank1.json.gz": RANK1 });
        session = await arrive(served);
      });
      afterAll(async () => {
        await session?.close();
        await served?.stop();
      });

      test("open on who is late, not on rank 0", async () => {
        const { page, problems } = session;
        await page.getByRole("heading", { level: 1,
          name: /^Rank 1 makes the others wait/ }).waitFor();
        await expect.poll(() => page.url()).toContain("worker=all");
        const first = page.getByRole("region",
          { name: "Who makes the others wait" }).locator(".t-row").first();
        const worst = summaryOf(served.folder!)["stragglers"] as unknown[];
        expect(await first.locator("[role=gridcell]").nth(1).textContent())
          .toBe(formatTime(Number(valueAt(worst[0], "delays_ns"))));
        expect(problems).toEqual([]);
      });

      test("ranks are told apart in tables, details and SQL", async () => {
        const { page, problems } = session;
        const marks = () => page.locator(".t-row .rank").allInnerTexts();
        await goTo(page, "#/operators?worker=all&by=rank");
        await expect.poll(async () => [...new Set(await marks())].sort())
          .toEqual(["0", "1"]);
        // A row leads to an event of its rank, which the details name.
        await page.getByLabel("Search in Operators by rank").fill("linear");
        await rowOf(page, "aten::linear").last().getByRole("button").click();
        await settled(page);
        const rank = page.locator(".details dd .rank");
        await expect.poll(() => rank.innerText()).toMatch(/^[01]$/);
        await goTo(page, "#/steps?worker=all");
        for (const rank of ["rank 0", "rank 1"])
          await page.locator(".columns .words").getByText(rank).waitFor();
        await expect.poll(async () => [...new Set(await marks())].sort())
          .toEqual(["0", "1"]);
        const { available } = await api<SqlSchema>(served, "sql_schema");
        await goTo(page, "#/sql?worker=all");
        if (available) {
          await page.locator(".sql-editor textarea").fill(
            "SELECT rank, count(*) FROM events GROUP BY rank ORDER BY rank");
          await page.keyboard.press("Control+Enter");
          await expect.poll(() => page.locator(".sql-result .t-row").count())
            .toBe(2);
        }
        expect(problems).toEqual([]);
        await goTo(page, "#/distributed?worker=all");
      });

      test("a late rank is seen on the map, and said", async () => {
        const { page } = session;
        const map = page.locator(".heat-map canvas");
        await map.waitFor();
        const { height } = (await map.boundingBox())!;
        const steps = summaryOf(served.folder!)["rank_steps"] as unknown[];
        const late = steps.findIndex((one) => valueAt(one, "rank") === 1 &&
          Number(valueAt(one, "delays_ns")) > 5e6);
        const numbers = [...new Set(steps.map((one) => valueAt(one, "step")))];
        const column = numbers.indexOf(valueAt(steps[late], "step"));
        const { width } = (await map.boundingBox())!;
        await map.hover({ position: {
          x: width * (column + 0.5) / numbers.length, y: height * 0.75 } });
        await page.getByText(`Rank 1, step ${numbers[column]}: held up the ` +
          `others ${formatTime(Number(valueAt(steps[late], "delays_ns")))}`)
          .waitFor();
        // By keys, too.
        await page.locator(".heat").focus();
        await page.keyboard.press("ArrowUp");
        await page.getByText(`Rank 0, step ${numbers[column]}:`).waitFor();
      });

      test("no rank has to be opened for that", async () => {
        const { runs } = await api<{ runs: { workers: { windows: {
          state: string }[] }[] }[] }>(served, "runs");
        expect(runs[0]!.workers.flatMap((worker) =>
          worker.windows.map((one) => one.state))).toEqual(["new", "new"]);
      });

      test("collectives are fast or slow by the peak one states", async () => {
        const { page } = session;
        const card = page.getByRole("region",
          { name: "Collectives", exact: true });
        await card.locator(".t-row").first().waitFor();
        expect(await card.getByText("Bus, of the peak").count()).toBe(0);
        await card.getByLabel("Peak of a link, GB/s").fill("10");
        await card.getByLabel("Peak of a link, GB/s").press("Enter");
        await card.getByText("Bus, of the peak").waitFor();
        await expect.poll(() => page.url()).toContain("peak=10");
        const doc = summaryOf(served.folder!, "--link-peak", "10",
          "--views", "collectives");
        const [row] = doc["collectives"] as unknown[];
        const share = Number(valueAt(row, "peak_ratio"));
        expect(share).toBeCloseTo(
          Number(valueAt(row, "bus_bandwidth")) / 10, 9);
        await card.locator(".t-row").first().getByText(
          `${(share * 100).toFixed(1)}\u202f%`).waitFor();
      });

      test("a rank has its colour beside its number", async () => {
        const { page } = session;
        const ranks = page.getByRole("region", { name: "Ranks", exact: true });
        await ranks.locator(".t-row .rank .swatch").nth(1).waitFor();
        const colours = await ranks.locator(".t-row .rank .swatch")
          .evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
        expect(new Set(colours).size).toBe(2);
      });

      test("axe finds nothing serious", async () => {
        expect(await seriousInBothThemes(session.page)).toEqual([[], []]);
      });

      test("a pinned track says its rank", async () => {
        const { page, problems } = session;
        await page.getByRole("region", { name: "Who makes the others wait" })
          .locator(".t-row").first()
          .getByRole("button", { name: "Show on timeline" }).click();
        await page.waitForURL(/#\/trace\?.*pin=/);
        await settled(page);
        await page.locator(".gutter-track b", { hasText: /^Rank 1 · / })
          .first().waitFor();
        // The colour of what they wait in is explained.
        await page.locator(".legend-menu button").click();
        await page.locator(".legend-list li",
          { hasText: "Communication" }).waitFor();
        await page.goBack();
        await page.getByRole("heading", { level: 1,
          name: /^Rank 1 makes/ }).waitFor();
        expect(problems).toEqual([]);
      });
    });

    describe("files that have nothing to do with each other", () => {
      let served: Served;
      let session: Session;
      beforeAll(async () => {
        served = await serve({ "cnn.json.gz": CNN, "ddp/rank0.json.gz": RANK0,
          "ddp/rank1.json.gz": RANK1, "host.json.gz": HOST });
        writeFileSync(join(served.folder!, "aaa.json"),
          "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":");
        writeFileSync(join(served.folder!, "empty.json"), "");
        session = await arrive(served);
      });
      afterAll(async () => {
        await session?.close();
        await served?.stop();
      });

      test("are listed; none is opened", async () => {
        const { page, problems } = session;
        await page.getByRole("grid", { name: "Traces" }).waitFor();
        for (const file of ["cnn.json.gz", "host.json.gz", "empty.json"])
          await rowOf(page, file).waitFor();
        await rowOf(page, "empty.json").getByText("is empty").waitFor();
        const doc = summaryOf(CNN);
        await rowOf(page, "cnn.json.gz")
          .getByText(formatTime(doc.step_time!.period!.p50_ns)).waitFor();
        await rowOf(page, "cnn.json.gz").getByText("whole").waitFor();
        // The damaged one does not look healthy.
        await expect.poll(() => rowOf(page, "aaa.json").textContent())
          .toMatch(/cut off|unreadable/);
        const { runs } = await api<{ runs: { workers: { windows: {
          state: string }[] }[] }[] }>(served, "runs");
        expect(new Set(runs.flatMap((run) => run.workers.flatMap((worker) =>
          worker.windows.map((one) => one.state))))).toEqual(new Set(["new"]));
        expect(problems).toEqual([]);
      });

      test("a job among them says who is late, and leads there", async () => {
        const { page } = session;
        const jobs = page.getByRole("region", { name: "Jobs", exact: true });
        await jobs.getByText("Rank 1 makes the others wait").waitFor();
        expect(await jobs.getByRole("listitem").count()).toBe(1);
        expect(await seriousInBothThemes(page)).toEqual([[], []]);
        await jobs.getByRole("button").click();
        await page.getByRole("heading", { level: 1,
          name: /^Rank 1 makes the others wait/ }).waitFor();
        await page.goBack();
        await page.getByRole("grid", { name: "Traces" }).waitFor();
      });

      test("two of them are compared, by their names", async () => {
        const { page, problems } = session;
        const compare = page.getByRole("button", { name: "Compare two" });
        expect(await compare.isDisabled()).toBe(true);
        await page.getByLabel("Compare cnn.json.gz").check();
        await page.getByLabel("Compare host.json.gz").check();
        expect(await page.getByLabel("Compare ddp/rank0.json.gz").isDisabled())
          .toBe(true);
        await compare.click();
        await page.waitForURL(/#\/compare\?/);
        const verdict = page.locator(".verdict");
        await verdict.getByText(/^Details/).click();
        await verdict.getByText(/ms in (cnn|host)\.json\.gz and/).waitFor();
        expect(await verdict.locator("details").textContent())
          .not.toMatch(/\bB is\b/);
        // One p at most: that of the sentence.
        expect((await verdict.textContent())!.match(/\bp [<=]/g) ?? [])
          .toHaveLength(1);
        expect(problems).toEqual([]);
      });

      test("what cannot be one trace is not offered to compare", async () => {
        const { page, problems } = session;
        const { runs } = await api<Runs>(served, "runs");
        const run = runs.find((one) => one.workers.length > 1 &&
          one.name !== "ddp")!;
        const host = run.workers.find((one) => one.name.includes("host"))!;
        const at = `#/compare?run=${run.id}&worker=${host.id}`;
        await goTo(page, at);
        const offered = () => page.locator(".choices button").allInnerTexts();
        await expect.poll(async () => (await offered()).filter((text) =>
          text.includes("all workers"))).toEqual(["ddp · all workers"]);
        // An old link still names it: then the jobs are offered in its place.
        await goTo(page, `${at}&with=${run.all!.t}`);
        await page.getByText("That run has traces of").waitFor();
        await page.locator(".choices button", { hasText: "cnn" }).click();
        await page.locator(".verdict h2").waitFor();
        await goTo(page, at);
        await page.locator(".choices button", { hasText: "ddp · all" }).click();
        await page.locator(".verdict h2").waitFor();
        expect(problems).toEqual([]);
      });

      test("one worker is said to be one, without empty tables", async () => {
        const { page, problems } = session;
        const { runs } = await api<Runs>(served, "runs");
        const run = runs.find((one) => one.name !== "ddp" && one.all)!;
        const host = run.workers.find((one) => one.name.includes("host"))!;
        await goTo(page, `#/distributed?run=${run.id}&worker=${host.id}`);
        await page.getByText("This job has one worker").waitFor();
        const text = await page.locator("main").innerText();
        expect(text).not.toMatch(/\b0 ranks|No collectives/);
        expect(problems).toEqual([]);
      });

      test("one that is opened is the whole page", async () => {
        const { page } = session;
        await page.getByRole("navigation").getByText("Traces").click();
        await page.getByRole("button", { name: "host.json.gz" }).click();
        await page.waitForURL(/#\/overview\?/);
        const figure = (name: string) => page.locator(
          `.figure[aria-label="${name}"]`);
        // Of a program without a GPU: what the host did, and no dashes for it.
        for (const name of ["Step time", "Most self time", "Threads"])
          await figure(name).waitFor();
        expect(await figure("GPU busy").count()).toBe(0);
        expect(await page.locator("main").innerText())
          .not.toContain("CPU only, GPU idle");
      });
    });

    test("a single rank has its collectives, too", async () => {
      const served = await serve({ "nccl.json.gz": NCCL });
      const { page, problems, close } = await openPage(browser,
        served.url + "&/distributed", { wait: false });
      const card = page.getByRole("region",
        { name: "Collectives", exact: true });
      await card.locator(".t-row").first().waitFor();
      const rows = summaryOf(NCCL)["collectives"] as unknown[];
      expect(rows.length).toBeGreaterThan(0);
      const text = await card.locator(".t-row").first().textContent();
      expect(text).toContain(String(valueAt(rows[0], "kind")));
      expect(text).toContain(formatTime(Number(valueAt(rows[0], "time_ns"))));
      // Nobody knows who waited.
      expect(valueAt(rows[0], "wait_ns")).toBeNull();
      expect(problems).toEqual([]);
      await close();
      await served.stop();
    });

    test("one file has nothing to be compared with, and says how", async () => {
      const served = await serve({ "a.json.gz": CNN });
      const alone = await serveFolder(join(served.folder!, "a.json.gz"));
      const { page, close } = await openPage(browser,
        alone.url + "&/compare", { wait: false });
      await page.getByText("Start it with both files").waitFor();
      await close();
      await alone.stop();
      await served.stop();
    });

    test("figures of the page are those of the command", async () => {
      const served = await serve({ "rank0.json.gz": RANK0,
        "rank1.json.gz": RANK1 });
      const { runs } = await api<{ runs: { all: { t: string } }[] }>(
        served, "runs");
      let job: JobInfo;
      do {
        job = await api<JobInfo>(served, "job?t=" + runs[0]!.all.t);
      } while (job.state !== "ready");
      const doc = summaryOf(served.folder!);
      for (const key of ["ranks", "stragglers", "collectives"] as const) {
        const flat = job[key] as FlatTable;
        const rows = doc[key] as unknown[];
        expect(flat.rows.length, key).toBe(rows.length);
        for (const [r, row] of flat.rows.entries())
          for (const [c, { key: name, type }] of flat.columns.entries())
            if (!/list|rows/.test(type))
              expect(row[c], `${key} ${r} ${name}`)
                .toEqual(valueAt(rows[r], name));
      }
      await served.stop();
    });
  });

// SPDX-License-Identifier: Apache-2.0
//
// SQL in the page: rows as a table, a chart and a track; the query beside a
// table gives its rows; what must not be asked is refused.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlSchema } from "../../src/generated/answers.ts";
import { seriousInBothThemes } from "./axe.ts";
import {
  api, browserPath, goTo, launch, openPage, programPath, serve, serveFolder,
  settled, tracePath, type Served, type Session,
} from "./harness.ts";

const FILE = tracePath("torch_resnet50_amp.json.gz");
const missing = [browserPath, programPath, FILE].filter((path) =>
  !path || !existsSync(path));

describe.skipIf(missing.length > 0)(
  `SQL (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let served: Served;
    let session: Session;
    let page: Page;
    let known = true;
    beforeAll(async () => {
      served = await serve({ "a.json.gz": FILE });
      browser = await launch();
      session = await openPage(browser, served.url);
      page = session.page;
      known = (await api<SqlSchema>(served, "sql_schema")).available;
    });
    afterAll(async () => {
      await browser?.close();
      await served?.stop();
    });
    const run = async (sql: string) => {
      await page.locator(".sql-editor textarea").fill(sql);
      await page.keyboard.press("Control+Enter");
    };
    const rows = () =>
      page.locator(".sql-result .t-row").allInnerTexts();

    test("rows are a table, bars and a track of the timeline",
      async ({ skip }) => {
        if (!known) skip("no DuckDB");
        await goTo(page, "#/sql");
        await run("SELECT name, start_ns, dur_ns FROM kernels " +
          "ORDER BY dur_ns DESC LIMIT 7");
        await expect.poll(async () => (await rows()).length).toBe(7);
        expect(await seriousInBothThemes(page, "main")).toEqual([[], []]);
        await page.getByRole("button", { name: "Chart" }).click();
        await expect.poll(() =>
          page.locator(".sql-chart tbody tr").count()).toBe(7);
        await page.getByRole("button", { name: "Show as a track" }).click();
        await settled(page);
        await expect.poll(() =>
          page.locator(".gutter-track").first().innerText())
          .toMatch(/^kernels\s+rows of a query/);
        expect(session.problems).toEqual([]);
      });

    test("the query beside a table gives its rows", async ({ skip }) => {
      if (!known) skip("no DuckDB");
      await goTo(page, "#/kernels?cols=name,calls,gpu.total_ns&top=10" +
        "&sort=-gpu.total_ns");
      const shown = page.locator(".t-row");
      await expect.poll(() => shown.count()).toBe(10);
      const calls = await page.locator(".t-row > div:nth-child(2)")
        .allInnerTexts();
      await page.getByRole("button", { name: "SQL", exact: true }).click();
      await page.getByRole("button", { name: /^Run/ }).click();
      await expect.poll(async () => (await rows()).length).toBe(10);
      expect(await page.locator(".sql-result .t-row > div:nth-child(2)")
        .allInnerTexts()).toEqual(calls);
    });

    test("a dataset opens on SQL and is asked as a whole", async ({ skip }) => {
      if (!known) skip("no DuckDB");
      const folder = mkdtempSync(join(tmpdir(), "stepscope-dataset-"));
      execFileSync(programPath,
        ["convert", FILE, "-o", folder, "--to", "parquet"]);
      const shown = await serveFolder(folder);
      try {
        const { origin, hash } = new URL(shown.url);
        const own = await openPage(browser, `${origin}/${hash}&/`,
          { wait: false });
        const of = own.page;
        await of.getByRole("heading", { level: 1, name: "SQL" }).waitFor();
        await of.getByText("tables of this dataset").waitFor();
        await of.locator(".sql-editor textarea").fill(
          "SELECT rank, count(*) AS n FROM kernels GROUP BY rank");
        await of.keyboard.press("Control+Enter");
        await expect.poll(() =>
          of.locator(".sql-result .t-row").count()).toBe(1);
        // What needs a trace says so, in the navigation and by a pasted link.
        expect(await of.locator(".nav-item.off").count())
          .toBeGreaterThan(8);
        await goTo(of, "#/trace");
        await of.getByRole("button", { name: "Ask in SQL" }).click();
        await of.getByRole("heading", { level: 1, name: "SQL" }).waitFor();
        expect(own.problems).toEqual([]);
        await own.close();
      } finally {
        await shown.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    });

    test("a fault is said in one line, and files are out of reach",
      async ({ skip }) => {
        if (!known) skip("no DuckDB");
        await goTo(page, "#/sql");
        const alert = page.getByRole("alert");
        await run("SELECT nme FROM events");
        await expect.poll(() => alert.innerText()).toMatch(/nme/);
        await run("SELECT * FROM read_text('/etc/passwd')");
        await expect.poll(() => alert.innerText())
          .toMatch(/disabled|not allowed|Permission/i);
      });

    test("a query that takes too long is stopped", async ({ skip }) => {
      if (!known) skip("no DuckDB");
      await goTo(page, "#/sql");
      await run("SELECT count(*) FROM range(10000000000) a, " +
        "range(10000000000) b WHERE a.range + b.range = -1");
      await page.getByRole("button", { name: "Stop" }).click();
      await expect.poll(() => page.getByRole("alert").innerText())
        .toMatch(/was stopped/);
    });
  });

// SPDX-License-Identifier: Apache-2.0
//
// A table that the server declares is on the page by itself: each of today,
// and one that is planted into the server's answers.
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DeclaredTables, Runs } from "../../src/generated/answers.ts";
import {
  browserPath, goTo, launch, openPage, programPath, serve, tracePath,
  type Served, type Session,
} from "./harness.ts";
import { ask } from "./tables.ts";

const AMP = tracePath("torch_resnet50_amp.json.gz");
const missing = [browserPath, programPath, AMP].filter((path) =>
  !path || !existsSync(path));

const PLANTED = {
  key: "planted", title: "Planted", meaning: "is a new table on the page?",
  shape: "rows", columns: [{ key: "track", title: "Track", type: "text" },
    { key: "total_ns", title: "Total", type: "time" }],
};

describe.skipIf(missing.length > 0)(
  `declared tables (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let session: Session;
    let run: string;
    beforeAll(async () => {
      browser = await launch();
      server = await serve({ "amp/a.json.gz": AMP });
      run = (await ask<Runs>(server.url, "runs")).runs[0]!.id;
      session = await openPage(browser, server.url + "&/steps",
        { wait: false });
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });

    test("each has a page", async () => {
      const { page, problems } = session;
      const { tables } = await ask<DeclaredTables>(server.url, "tables");
      for (const table of tables) {
        if (table.key.startsWith("compare")) continue;
        await goTo(page, `#/tables?run=${run}&table=${table.key}`);
        await page.getByText(table.meaning!, { exact: true }).waitFor();
        await page.locator(".table-card").first().waitFor();
      }
      expect(problems).toEqual([]);
    });

    test("so has a planted one", async () => {
      const { page, problems } = session;
      await page.route("**/api/v1/tables*", async (route) => {
        const answer = await (await route.fetch()).json() as DeclaredTables;
        await route.fulfill({ json:
          { tables: [...answer.tables, PLANTED] } });
      });
      await page.route("**/api/v1/table?*name=planted*", (route) =>
        route.fulfill({ json:
          { ...PLANTED, rows: [["mainthread", 100]], notes: [] } }));
      await goTo(page, `#/steps?run=${run}`);
      await page.reload();
      await goTo(page, `#/tables?run=${run}&table=planted`);
      await page.getByText("mainthread").waitFor();
      await page.getByText("100 ns").waitFor();
      expect(await page.getByLabel("Table", { exact: true }).first()
        .inputValue()).toBe("planted");
      expect(problems).toEqual([]);
    });
  });

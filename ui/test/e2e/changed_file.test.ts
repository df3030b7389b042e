// SPDX-License-Identifier: Apache-2.0
//
// A file becomes another one under its name: what is shown when it is chosen
// again is the new one.
import { execFileSync } from "node:child_process";
import {
  copyFileSync, existsSync, mkdirSync, renameSync,
} from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Runs, SummaryDoc } from "../../src/generated/answers.ts";
import {
  browserPath, goTo, launch, openPage, programPath, serve, tracePath,
  type Served,
} from "./harness.ts";
import { ask } from "./tables.ts";

const CNN = tracePath("torch_cnn.json.gz");
const GRAPH = tracePath("torch_cuda_graph.json.gz");
const DDP = tracePath("torch_ddp_gloo_rank0.json.gz");
const needed = [browserPath, programPath, CNN, GRAPH, DDP];
const missing = needed.filter((path) => !path || !existsSync(path));

describe.skipIf(missing.length > 0)(
  `a changed file (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    beforeAll(async () => {
      browser = await launch();
      server = await serve({ "r1/a.json.gz": CNN, "r2/b.json.gz": DDP });
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });
    const listed = async () => (await ask<Runs>(server.url, "runs")).runs;
    const bytesOf = async (name: string) => (await listed()).find((run) =>
      run.name === name)!.workers[0]!.windows[0]!.bytes;
    const rows = (page: Page) => page.getByRole("grid", { name: "Operators" })
      .getAttribute("aria-rowcount");

    test("is an offer where it is new, and nothing else changes", async () => {
      const { page, close } = await openPage(browser,
        `${server.url}&/operators`, { wait: false });
      await page.waitForURL(/window=\w+/);
      const named = page.url();
      const before = await rows(page);
      // It comes first in the list.
      mkdirSync(join(server.folder!, "r0"));
      copyFileSync(GRAPH, join(server.folder!, "r0/new.json.gz"));
      await page.getByText("1 new trace").click();
      expect(page.url()).toBe(named);
      expect(await rows(page)).toBe(before);
      await page.getByRole("button", { name: "r0/new.json.gz" }).click();
      await expect.poll(() => rows(page)).not.toBe(before);
      expect(await page.getByText("1 new trace").count()).toBe(0);
      // The link that was copied before still means what it meant.
      await goTo(page, new URL(named).hash);
      await expect.poll(() => rows(page)).toBe(before);
      await goTo(page, "#/operators?run=gone");
      await page.getByText("This trace is not here").waitFor();
      await close();
    });

    test("has new tables when it is chosen again", async () => {
      const ids = new Map((await listed()).map((run) => [run.name, run.id]));
      const { page, close } = await openPage(browser,
        `${server.url}&/operators?run=${ids.get("r1")}`, { wait: false });
      const before = await rows(page);
      const old = await bytesOf("r1");
      const place = join(server.folder!, "r1/a.json.gz");
      copyFileSync(GRAPH, place + "~");
      renameSync(place + "~", place);
      await expect.poll(() => bytesOf("r1")).not.toBe(old);
      const run = page.getByLabel("Run", { exact: true });
      await run.selectOption(ids.get("r2")!);
      await expect.poll(() => rows(page)).not.toBe(before);
      await run.selectOption(ids.get("r1")!);
      const summary = JSON.parse(execFileSync(programPath, ["summary", GRAPH,
        "--format", "json"], { maxBuffer: 1 << 28, encoding: "utf8" })) as
        SummaryDoc;
      await expect.poll(() => rows(page))
        .toBe(String(summary.operator.length + 1));
      await close();
    });
  });

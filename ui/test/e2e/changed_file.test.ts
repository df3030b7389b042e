// SPDX-License-Identifier: Apache-2.0
//
// A file becomes another one under its name: what is shown when it is chosen
// again is the new one.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Runs, SummaryDoc } from "../../src/generated/answers.ts";
import {
  browserPath, launch, openPage, programPath, serve, tracePath, type Served,
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

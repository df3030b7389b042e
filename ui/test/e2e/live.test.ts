// SPDX-License-Identifier: Apache-2.0
//
// A program that is recorded while the page shows it: it is followed, and what
// is shown becomes the finished trace. The program does a step for each line
// that it is told, so that nothing depends on time.
import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from
  "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LiveInfo, Runs, TraceInfo, WindowInfo } from
  "../../src/generated/answers.ts";
import { seriousInBothThemes } from "./axe.ts";
import {
  api, browserPath, launch, openPage, programPath, serve, serveFolder,
  tracePath, type Served,
} from "./harness.ts";

const RANGES = process.env["STEPSCOPE_RANGES"] ??
  join(dirname(programPath), "../test-bin/run_ranges");
const INJECT = join(dirname(programPath), "../lib/libstepscope_inject.so");
const CNN = tracePath("torch_cnn.json.gz");
const GRAPH = tracePath("torch_cuda_graph.json.gz");
const needed = [browserPath, programPath, RANGES, INJECT, CNN, GRAPH];
const missing = needed.filter((path) => !path || !existsSync(path));

const windowsOf = async (server: Served): Promise<WindowInfo[]> =>
  (await api<Runs>(server, "runs")).runs.flatMap((run) =>
    run.workers.flatMap((worker) => worker.windows));

describe.skipIf(missing.length > 0)(
  `a recording (without ${missing.join(", ") || "nothing"})`, () => {
    let folder: string;
    let program: ChildProcess;
    let ended: Promise<unknown>;
    let server: Served;
    let browser: Browser;
    let page: Page;
    let problems: string[];
    const doSteps = (count: number) =>
      program.stdin!.write("\n".repeat(count));
    const counted = async (): Promise<number> => {
      const [window] = await windowsOf(server);
      if (!window) return 0;
      return (await api<LiveInfo>(server, `live?t=${window.t}`))
        .state?.step_count ?? 0;
    };
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "stepscope-live-"));
      program = spawn(programPath, ["run", "--quiet", "--no-gpu", "--out",
        folder, "--step-range", "step *", "--", RANGES, "lines"],
      { stdio: ["pipe", "inherit", "inherit"] });
      ended = new Promise((done) => program.on("exit", done));
      doSteps(3);
      server = await serveFolder(folder);
      browser = await launch();
      while (await counted() !== 3)
        await new Promise((done) => setTimeout(done, 50));
      ({ page, problems } = await openPage(browser, server.url));
    });
    afterAll(async () => {
      program?.stdin!.end();
      await ended;
      await browser?.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("is said to be one, not cut off", async () => {
      await page.getByRole("region", { name: "Recording" })
        .getByText(/3 steps, the last took/).waitFor();
      expect(await page.getByText("Cut off").count()).toBe(0);
      await page.getByRole("button", { name: /^Recording\./ }).waitFor();
    });

    test("is followed, while what is below stays", async () => {
      const [window] = await windowsOf(server);
      const shown = () => api<TraceInfo>(server, `trace?t=${window!.t}`);
      expect((await shown()).steps).toHaveLength(3);
      doSteps(4);
      const region = page.getByRole("region", { name: "Recording" });
      await region.getByText(/7 steps, the last took/).waitFor();
      await region.getByRole("button", { name: "Show steps and counters" })
        .click();
      await expect.poll(() => region.getByRole("list",
        { name: "Last steps" }).getByRole("listitem").count()).toBe(7);
      expect((await shown()).steps).toHaveLength(3);
      expect(await seriousInBothThemes(page)).toEqual([[], []]);
      await region.getByRole("button", { name: "Update the page" }).click();
      await expect.poll(async () => (await shown().catch(() => null))
        ?.steps?.length).toBe(7);
    });

    test("becomes the finished trace by itself", async () => {
      doSteps(2);
      program.stdin!.end();
      await ended;
      await page.getByRole("button", { name: /^Nothing lost\./ }).waitFor();
      await expect.poll(() => page.getByRole("region",
        { name: "Recording" }).count()).toBe(0);
      const [window] = await windowsOf(server);
      expect(window).toMatchObject({ recording: false, changed: false });
      const info = await api<TraceInfo>(server, `trace?t=${window!.t}`);
      expect(info).toMatchObject({ complete: true, recording: false });
      expect(info.steps).toHaveLength(9);
      expect(problems).toEqual([]);
    });
  });

describe.skipIf(missing.length > 0)("a file that is written anew", () => {
  let browser: Browser;
  let server: Served;
  beforeAll(async () => {
    server = await serve({ "a.json.gz": CNN });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("is an offer, and is shown when that is taken", async () => {
    const { page, close } = await openPage(browser,
      server.url + "&/operators", { wait: false });
    const rows = () => page.getByRole("grid", { name: "Operators" })
      .getAttribute("aria-rowcount");
    const before = await rows();
    const place = join(server.folder!, "a.json.gz");
    copyFileSync(GRAPH, place + "~");
    renameSync(place + "~", place);
    const offer = page.getByRole("status", { name: "Changed file" });
    await offer.getByText("This file was written anew").waitFor();
    expect(await rows()).toBe(before);
    await offer.getByRole("button", { name: "Update the page" }).click();
    await expect.poll(rows).not.toBe(before);
    await offer.waitFor({ state: "detached" });
    await close();
  });
});

// SPDX-License-Identifier: Apache-2.0
//
// A trace of torch with stacks: functions and modules in the details of an
// event, in their tables and in the flame graph.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FlameInfo, Runs } from "../../src/generated/answers.ts";
import { seriousInBothThemes } from "./axe.ts";
import {
  api, browserPath, goTo, launch, openPage, programPath, rangeOf, search,
  serve, settled, tracePath, type Served,
} from "./harness.ts";

const RESNET = tracePath("peer/08_resnet_overview_over_100pct.json.gz");
const missing = [browserPath, programPath, RESNET].filter((path) =>
  !path || !existsSync(path));

interface Module {
  name: string;
  calls: number;
  gpu: { total_ns: number };
  backward_gpu_ns: number;
}

describe.skipIf(missing.length > 0)(
  `Python (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let page: Page;
    let problems: string[];
    let t: string;
    beforeAll(async () => {
      server = await serve({ "a.json.gz": RESNET });
      browser = await launch();
      ({ page, problems } = await openPage(browser, server.url));
      t = (await api<Runs>(server, "runs"))
        .runs[0]!.workers[0]!.windows[0]!.t;
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
      expect(problems).toEqual([]);
    });

    const boxes = () => page.locator(".flame button[aria-pressed]");

    test("details say module, file and line", async () => {
      await search(page, "aten::convolution");
      const details = page.getByRole("region", { name: "Details" });
      const fact = (label: string) => details.locator(".facts div",
        { has: page.getByText(label, { exact: true }) }).locator("dd");
      await expect.poll(() => fact("Module").textContent())
        .toMatch(/ResNet_0 › .*Conv2d_\d+$/);
      expect(await fact("Python").textContent())
        .toMatch(/^torch\/nn\/modules\/conv\.py:\d+, _conv_forward$/);
      const chain = details.getByRole("region", { name: "Called by" });
      await chain.getByText(/^_conv_forward \(conv\.py:\d+\)$/).waitFor();
      await chain.getByText("ResNet_0", { exact: true }).waitFor();
    });

    test("the timeline has the functions above their thread", async () => {
      await page.locator(".gutter-track", { hasText: "Python" }).first()
        .waitFor();
    });

    test("a table of modules has the command's rows", async () => {
      const rows = (JSON.parse(execFileSync(programPath, ["summary", RESNET,
        "--format", "json", "--views", "modules"], { encoding: "utf8",
        maxBuffer: 1 << 28 })) as { modules: Module[] }).modules;
      expect(rows.length).toBeGreaterThan(50);
      expect(rows[0]!.gpu.total_ns).toBeGreaterThan(0);
      expect(rows[0]!.backward_gpu_ns).toBeGreaterThan(0);
      await goTo(page, "#/tables?table=modules");
      const grid = page.getByRole("grid", { name: "Modules" });
      await expect.poll(() => grid.getAttribute("aria-rowcount"))
        .toBe(String(rows.length + 1));
      await grid.getByText(rows[0]!.name).first().waitFor();
    });

    test("the flame graph puts steps together", async () => {
      await goTo(page, "#/flame");
      await boxes().first().waitFor();
      expect(await boxes().filter({ hasText: "ProfilerStep" }).count())
        .toBe(0);
      // All three calls are one box.
      await page.getByPlaceholder("Find in the graph").fill("train_step");
      await page.locator(".flame .found").first().click();
      await page.locator(".flame-chosen").getByText("3 calls").waitFor();
      expect(await seriousInBothThemes(page)).toEqual([[], []]);
    });

    test("by module, with the work of gradients", async () => {
      await goTo(page, "#/flame?by=device&of=modules");
      await boxes().filter({ hasText: /^ResNet_0(?!\w)/ }).first().waitFor();
      expect(await boxes().filter({ hasText: "train_step" }).count()).toBe(0);
      const info = await api<FlameInfo>(server,
        `flame?t=${t}&by=device&modules=1`);
      expect(info.boxes.some((box) =>
        box.name.startsWith("autograd::engine") && box.depth > 2)).toBe(true);
      for (const dir of ["", "1"]) {
        await goTo(page, `#/flame?by=device&of=modules&dir=${dir}`);
        await boxes().first().waitFor();
        expect(await seriousInBothThemes(page, ".flame-card"))
          .toEqual([[], []]);
      }
    });

    test("a box leads to its longest call on the timeline", async () => {
      await goTo(page, "#/flame");
      await page.getByPlaceholder("Find in the graph").fill("ResNet_0");
      await page.locator(".flame .found").first().click();
      const info = await api<FlameInfo>(server, `flame?t=${t}&by=host`);
      const box = info.boxes.find((one) => one.name === "nn.Module: ResNet_0")!;
      await page.getByRole("button", { name: /Longest call/ }).click();
      await settled(page);
      const range = await rangeOf(page);
      expect(range.t0).toBeLessThanOrEqual(box.start);
      expect(range.t1).toBeGreaterThanOrEqual(box.start + box.dur);
    });
  });

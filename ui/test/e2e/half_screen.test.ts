// SPDX-License-Identifier: Apache-2.0
//
// The table views in a window of half a screen: all of it can be reached, and
// what names are is seen.
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Runs } from "../../src/generated/answers.ts";
import {
  browserPath, goTo, launch, openPage, programPath, serve, tracePath,
  type Served, type Session,
} from "./harness.ts";
import { ask } from "./tables.ts";

const AMP = tracePath("torch_resnet50_amp.json.gz");
const RANK0 = tracePath("torch_ddp_gloo_rank0.json.gz");
const RANK1 = tracePath("torch_ddp_gloo_rank1.json.gz");
const needed = [browserPath, programPath, AMP, RANK0, RANK1];
const missing = needed.filter((path) => !path || !existsSync(path));

/** As files of a training job are called. */
const LONG = "pretrain_llama_7b_bf16_2026_11_17_node_003_of_128";

/** In the page: texts of the pickers that are not all in sight. */
function cutTexts(): string[] {
  return [...document.querySelectorAll(".picker b")].flatMap((name) => {
    const walk = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
    const cut: string[] = [];
    for (let text = walk.nextNode(); text; text = walk.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(text);
      const room = text.parentElement!.getBoundingClientRect();
      const { left, right } = range.getBoundingClientRect();
      const seen = Math.min(room.right, name.getBoundingClientRect().right);
      if (right > seen + 1 || left < room.left - 1)
        cut.push(text.textContent!);
    }
    return cut;
  });
}

/** In the page: what lies beyond the right edge, and cannot be scrolled to. */
function outside(): string[] {
  return [...document.querySelectorAll(".nav *, .topbar *, main *")]
    .filter((one) => {
      const box = one.getBoundingClientRect();
      return box.width > 0 && box.right > innerWidth &&
        !one.closest(".t-box, .card:has(> .workers)");
    }).map((one) => `${one.localName} ${one.textContent}`.slice(0, 80));
}

describe.skipIf(missing.length > 0)(
  `half a screen (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let session: Session;
    let runs: Map<string, string>;
    beforeAll(async () => {
      browser = await launch();
      server = await serve({ "amp/a.json.gz": AMP,
        "ddp/rank0.json.gz": RANK0, "ddp/rank1.json.gz": RANK1,
        ...Object.fromEntries([RANK0, RANK1].map((path, rank) =>
          [`long/${LONG}_rank${rank}.json.gz`, path])) });
      runs = new Map((await ask<Runs>(server.url, "runs")).runs.map((run) =>
        [run.name, run.id]));
      session = await openPage(browser, server.url + "&/steps",
        { wait: false });
      await session.page.setViewportSize({ width: 600, height: 800 });
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
    });

    test.each([
      ["amp", "overview", "Where a step goes"],
      ["amp", "operators", "By name and shapes"],
      ["amp", "kernels", "By name and attributes"],
      ["amp", "memory", "Leak candidates"],
      ["ddp", "distributed", "Collectives"],
      ["amp", "steps", "Each step"],
      ["ddp", "compare", "Choose trace A"],
    ])("nothing is out of sight: %s %s", async (run, view, text) => {
      const { page, problems } = session;
      await goTo(page, `#/${view}?run=${encodeURIComponent(runs.get(run)!)}`);
      await page.getByText(text).first().waitFor();
      await page.locator(".topbar").getByText("Copy link").waitFor();
      await expect.poll(() => page.evaluate(outside)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test("pickers of 1024 pixels tell names apart", async () => {
      const { page, problems } = session;
      await page.setViewportSize({ width: 1024, height: 768 });
      const name = (label: string) =>
        page.locator(".picker", { hasText: label }).locator("b");
      for (const rank of ["0", "1"]) {
        await goTo(page, `#/steps?run=${runs.get("long")!}`);
        await page.getByLabel("Worker", { exact: true })
          .selectOption({ label: `${LONG}_rank${rank}` });
        await expect.poll(() => name("Worker").textContent())
          .toBe(`${LONG}_rank${rank}`);
        await page.getByRole("heading", { name: "Each step" }).waitFor();
        // Only the beginning of the long one gives way.
        await expect.poll(() => page.evaluate(cutTexts))
          .toEqual([`${LONG}_rank${rank}`.slice(0, -10)]);
        expect(await page.locator(".picker", { hasText: "Worker" })
          .getAttribute("title")).toBe(`Worker: ${LONG}_rank${rank}`);
      }
      await goTo(page, `#/steps?run=${runs.get("ddp")!}`);
      await page.getByRole("heading", { name: "Each step" }).waitFor();
      await expect.poll(() => page.evaluate(cutTexts)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });

// SPDX-License-Identifier: Apache-2.0
//
// What a reader types stays, whatever answer comes meanwhile.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, openPage, realServer, type Served } from "./harness.ts";

const REAL = realServer("torch_resnet50_amp.json.gz");

describe.skipIf(REAL.missing)(`typing (${REAL.missing || "all is here"})`,
  () => {
    let browser: Browser;
    let served: Served;
    beforeAll(async () => {
      served = await REAL.start();
      browser = await launch();
    });
    afterAll(async () => {
      await browser?.close();
      await served?.stop();
    });

    test("of a peak is not undone by the answer to another", async () => {
      const session = await openPage(browser, served.url +
        "&/operators?by=flops&cpeak=989&mpeak=4800", { wait: false });
      const { page, problems } = session;
      const mfu = page.locator('[data-figure="mfu"]');
      await mfu.waitFor();
      const before = await mfu.innerText();
      let answer = () => {};
      const held = new Promise<void>((done) => answer = done);
      await page.route("**/api/v1/**", async (request) => {
        await held;
        await request.continue();
      });
      await page.getByLabel("Peak of a device, TFLOP/s").fill("500");
      await page.keyboard.press("Enter");
      const other = page.getByLabel("Its memory, GB/s");
      await other.fill("7");
      answer();
      await expect.poll(() => mfu.innerText()).not.toBe(before);
      expect(await other.inputValue()).toBe("7");
      expect(problems).toEqual([]);
      await session.close();
    });
  });

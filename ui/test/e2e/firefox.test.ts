// SPDX-License-Identifier: Apache-2.0
//
// The same page in the other browser: Debian's Firefox as it is, driven by
// WebDriver BiDi. All else is tested in Chromium; here only what a browser may
// lack is tried: the worker that draws, keys, tables, the policy of the page.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFirefox, type FirefoxPage } from "./bidi.ts";
import { programPath, serve, tracePath, type Served } from "./harness.ts";

const FIREFOX = "/usr/bin/firefox-esr";
const FILE = "torch_cnn.json.gz";
const missing = [
  ...[FIREFOX, programPath, tracePath(FILE)].filter((path) =>
    !existsSync(path)),
  ...typeof WebSocket === "undefined" ? ["a Node with WebSocket"] : [],
];

describe.skipIf(missing.length > 0)(
  `Firefox (without ${missing.join(", ") || "nothing"})`, () => {
    let page: FirefoxPage;
    let served: Served;
    beforeAll(async () => {
      served = await serve([FILE]);
      page = await openFirefox(FIREFOX);
    });
    afterAll(async () => {
      await page?.close();
      await served?.stop();
    });

    const drawn = () => expect.poll(() => page.call(async () => {
      const stats = await window.stepscopeTimeline?.stats();
      return stats?.sharp && stats.idle ? stats.boxes : 0;
    })).toBeGreaterThan(20);
    const length = () => page.call(() => {
      const { t0, t1 } = window.stepscopeTimeline.range();
      return t1 - t0;
    });

    test("draws the timeline, follows keys and shows tables", async () => {
      await page.open(served.url + "&/trace");
      await drawn();
      const whole = await length();
      const place = await page.call(() => {
        const { x, y } = document.querySelector(".plot")!
          .getBoundingClientRect();
        return { x, y };
      });
      await page.click(Math.round(place.x) + 400, Math.round(place.y) + 60);
      await page.press("w");
      await expect.poll(length).toBeLessThan(whole);
      await drawn();
      await page.call(() => {
        location.hash = "#/operators?top=10";
      });
      const rows = () => page.call(() =>
        [...document.querySelectorAll(".t-row")].map((row) =>
          row.textContent ?? ""));
      await expect.poll(async () => (await rows()).length).toBe(10);
      await page.call(() => {
        location.hash = "#/operators?top=10&find=conv2d";
      });
      await expect.poll(async () => (await rows())[0]).toContain("conv2d");
      expect(page.problems).toEqual([]);
    });
  });

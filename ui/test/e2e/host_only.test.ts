// SPDX-License-Identifier: Apache-2.0
//
// The timeline and the overview of a trace in which no device worked.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  goTo, launch, openPage, realServer, type Served, type Session,
} from "./harness.ts";

const kind = realServer("paddle/paddle33_cnn.paddle_trace.json.gz");

describe.skipIf(kind.missing)("a program of the host alone", () => {
  let browser: Browser;
  let served: Served;
  let session: Session;
  beforeAll(async () => {
    served = await kind.start();
    browser = await launch();
    session = await openPage(browser, served.url);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  test("the minimap shows how busy its threads are", async () => {
    const { page, problems } = session;
    await page.getByText("Host busy, whole window").waitFor();
    const painted = () => page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>(
        ".minimap-plot canvas")!;
      const { data } = canvas.getContext("2d")!
        .getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, n) => n % 4 === 3 && value > 0).length;
    });
    await expect.poll(painted).toBeGreaterThan(1000);
    expect(problems).toEqual([]);
  });

  test("nothing is said of a GPU that was not there", async () => {
    const { page, problems } = session;
    await goTo(page, "#/overview");
    const stages = page.getByRole("region", { name: "Stages", exact: true });
    await stages.getByText("CPU per step").waitFor();
    expect(await stages.innerText()).not.toMatch(/GPU/);
    expect(problems).toEqual([]);
  });
});

// SPDX-License-Identifier: Apache-2.0
//
// A link that comes in the very moment in which the timeline writes its own
// address. The browser tells of a new address a task later than it stands in
// the bar; what the page does in between must not write over it.
import type { Browser, Page } from "playwright-core";
import {
  afterAll, afterEach, beforeAll, beforeEach, describe, expect, test,
} from "vitest";
import {
  addressWith, browserPath, launch, mockServer, openPage, rangeOf, search,
  settled, type Served, type Session,
} from "./harness.ts";

describe.skipIf(!browserPath)("an address that comes from outside", () => {
  let browser: Browser;
  let served: Served;
  let session: Session;
  let page: Page;
  beforeAll(async () => {
    served = await mockServer.start();
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });
  beforeEach(async () => {
    session = await openPage(browser, served.url);
    page = session.page;
  });
  afterEach(async () => {
    expect(session.problems).toEqual([]);
    await session.close();
  });

  /** The page has heard of the address that is in the bar. */
  const heard = () => page.evaluate(() => new Promise((done) =>
    setTimeout(() => requestAnimationFrame(done))));

  test("wins over the range of a view that has just settled", async () => {
    const whole = await rangeOf(page);
    await page.evaluate(() => {
      const { setTimeout } = window;
      let settle: unknown = null;
      window.setTimeout = ((run: unknown) => {
        settle = run;
        return 0;
      }) as typeof window.setTimeout;
      window.stepscopeTimeline.setRange({ t0: 1e6, t1: 2e6 });
      window.setTimeout = setTimeout;
      location.hash = "#/trace?arrows=0";
      (settle as () => void)();
    });
    await heard();
    await settled(page);
    expect(new URL(page.url()).hash).toBe("#/trace?arrows=0");
    expect(await rangeOf(page)).toEqual(whole);
  });

  test("wins over an event whose details come", async () => {
    await search(page, "aten::linear_inner");
    await addressWith(page, /row=\d+/);
    await page.waitForSelector(".details h2");
    const left = await page.evaluate(async () => {
      const { fetch } = window;
      const asked = new Promise<() => Promise<void>>((held) => {
        window.fetch = async (...request) => {
          if (!String(request[0]).includes("/event?"))
            return fetch(...request);
          const value = await (await fetch(...request)).json();
          // Without a task between: the rest are steps of promises.
          return new Promise<Response>((answer) => held(async () => {
            answer({ ok: true, json: async () => value } as Response);
            for (let n = 0; n < 50; n++) await Promise.resolve();
          }));
        };
      });
      dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
      const release = await asked;
      window.fetch = fetch;
      location.hash = "#/trace?arrows=0";
      await release();
      return location.hash;
    });
    expect(left).toBe("#/trace?arrows=0");
    await heard();
    expect(new URL(page.url()).hash).toBe("#/trace?arrows=0");
    expect(await page.locator(".details h2").count()).toBe(0);
  });

  test("keeps what is set in the same moment", async () => {
    await page.evaluate(() => {
      location.hash = "#/trace?arrows=0";
      [...document.querySelectorAll("button")].find((one) =>
        one.textContent?.includes("Critical path") ||
        one.getAttribute("aria-label")?.includes("Critical path"))!.click();
    });
    await heard();
    expect(new URL(page.url()).hash).toBe("#/trace?arrows=0&path=1");
  });
});

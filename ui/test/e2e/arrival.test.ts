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
  addressWith, holdAnswers, launch, mockServer, openPage, rangeOf, realServer,
  search, settled, type Served, type Session,
} from "./harness.ts";

describe.each([mockServer, realServer("torch_resnet50_amp.json.gz")])(
  "an address that comes from outside, in $name", (kind) => {
    if (kind.missing) {
      test.skip(`skipped: ${kind.missing}`, () => {});
      return;
    }
    let browser: Browser;
    let served: Served;
    let session: Session;
    let page: Page;
    beforeAll(async () => {
      served = await kind.start();
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

    /** Asked of the page: what the test is told of it may be late. */
    const hash = async () => own(await page.evaluate(() => location.hash));
    /** An address without the trace that it names. */
    const own = (address: string) =>
      address.replace(/(run|worker|window)=[^&]*&/g, "");
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
      expect(await hash()).toBe("#/trace?arrows=0");
      await expect.poll(() => rangeOf(page)).toEqual(whole);
    });

    test("wins over an event whose details come", async () => {
      await search(page, "aten::add_");
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
      expect(own(left)).toBe("#/trace?arrows=0");
      await heard();
      expect(await hash()).toBe("#/trace?arrows=0");
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
      expect(await hash()).toBe("#/trace?arrows=0&path=1");
    });

    /** Lets held answers through; the page has dealt with them afterwards. */
    const comeLate = async (held: { letThrough: () => Promise<void> },
      path: string) => {
      const came = page.waitForResponse(new RegExp(`/api/v1/${path}\\?`));
      await held.letThrough();
      await (await came).finished();
      await heard();
    };

    test("wins over a match that is found later", async () => {
      const find = await holdAnswers(page, "find");
      await page.keyboard.press("/");
      await page.fill("#search", "aten::");
      await page.keyboard.press("Enter");
      await expect.poll(find.asked).toBe(1);
      await page.locator("#search").blur();
      await page.evaluate(() => {
        location.hash = "#/trace?arrows=0";
      });
      await heard();
      await comeLate(find, "find");
      await settled(page);
      expect(await hash()).toBe("#/trace?arrows=0");
      expect(await page.locator(".found-count").count()).toBe(0);
      expect(await page.locator(".details h2").count()).toBe(0);
    });

    test("a place that is found late takes nobody away", async (context) => {
      if (kind === mockServer) return context.skip();  // it has no tables
      const goTo = (name: string) => page.getByRole("navigation")
        .getByRole("link", { name, exact: true }).click();
      await goTo("Operators");
      const row = page.locator(".t-row").first();
      await row.hover();
      const locate = await holdAnswers(page, "locate");
      await row.getByRole("button", { name: "Show on timeline" }).click();
      await expect.poll(locate.asked).toBe(1);
      await goTo("Steps");
      await page.getByRole("heading", { level: 1, name: "Steps" }).waitFor();
      await comeLate(locate, "locate");
      expect(await hash()).toMatch(/^#\/steps/);
    });
  });

// SPDX-License-Identifier: Apache-2.0
//
// The shell in a real browser: token, messages, safety, accessibility.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMock } from "../mock/serve.mjs";
import { seriousInBothThemes } from "./axe.ts";
import {
  browserPath, drag, launch, openPage, search, settled, statsOf,
} from "./harness.ts";

describe.skipIf(!browserPath)("shell (needs Chromium)", () => {
  let browser: Browser;
  let mock: Awaited<ReturnType<typeof startMock>>;
  beforeAll(async () => {
    browser = await launch();
    mock = await startMock();
  });
  afterAll(async () => {
    await browser?.close();
    mock?.close();
  });
  const address = () => mock.url.replace(/#.*/, "");

  test("without a token the page asks for it, and takes an address",
    async () => {
      const { page, close } = await openPage(browser, address(),
        { wait: false });
      await page.getByText("This server needs its token").waitFor();
      await page.getByLabel("Address or token").fill("nonsense");
      await page.getByRole("button", { name: "Open" }).click();
      await page.getByText("That is neither").waitFor();
      await page.getByLabel("Address or token").fill(mock.url);
      await page.getByRole("button", { name: "Open" }).click();
      await settled(page);
      await close();
    });

  test("the printed address, opened in that tab, opens the page", async () => {
    const { page, close } = await openPage(browser, address() + "#/trace",
      { wait: false });
    await page.getByText("This server needs its token").waitFor();
    await page.evaluate((hash) => {
      location.hash = hash;
    }, new URL(mock.url).hash + "&/trace");
    await settled(page);
    expect(page.url()).not.toContain("token");
    await close();
  });

  test("a wrong token is forgotten", async () => {
    const { page, close } = await openPage(browser,
      `${address()}#token=${"f".repeat(64)}`, { wait: false });
    await page.getByText("This server needs its token").waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await close();
  });

  test("a trace that cannot be read says why; another can be chosen",
    async () => {
      const { page, close } = await openPage(browser,
        mock.url + "&/trace?window=broken", { wait: false });
      await page.getByText("byte 12: not JSON").waitFor();
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await page.getByLabel("Window").selectOption("demo");
      await settled(page);
      await close();
    });

  test("a server that is gone is told, without a blank page", async () => {
    const other = await startMock();
    const { page, close } = await openPage(browser, other.url);
    other.close();
    for (let n = 0; n < 4; n++) await page.keyboard.press("Shift+W");
    await page.getByText("The timeline could not be read").waitFor();
    await close();
  });

  test("a view that a lost server has not sent says what to do", async () => {
    const other = await startMock();
    const { page, close } = await openPage(browser, other.url);
    other.close();
    await page.getByRole("link", { name: "Operators" }).click();
    // Sooner or later the banner above says the same.
    const view = page.locator("main");
    await view.getByText("The server does not answer").waitFor();
    await view.getByText("again, and open the address").waitFor();
    await close();
  });

  test("names of a trace are text, whatever is in them", async () => {
    const payload = "<img src=x onerror=\"window.hacked=1\">" +
      "<script>window.hacked=1</script>'\"`${window.hacked=1}";
    const hostile = await startMock(0, (name) => name + payload);
    const { page, problems, close } = await openPage(browser, hostile.url);
    await search(page, "aten::add_");
    await page.waitForSelector(".details h2");
    await page.keyboard.press("m");
    await page.getByRole("button", { name: /^Tracks/ }).click();
    await page.getByLabel("Filter tracks").waitFor();
    expect(await page.evaluate(() =>
      (window as { hacked?: number }).hacked)).toBeUndefined();
    expect(await page.locator("img[src=x]").count()).toBe(0);
    await expect.poll(() => page.locator(".details .full").textContent())
      .toContain(payload);
    expect(problems).toEqual([]);
    await close();
    hostile.close();
  });

  const states: [string, (page: Page) => Promise<void>][] = [
    ["the whole", async () => {}],
    ["an event", async (page) => {
      await search(page, "elementwise");
      await page.waitForSelector(".details h2");
    }],
    ["a box", async (page) => {
      const plot = (await page.locator(".plot").boundingBox())!;
      await drag(page, { x: plot.x + 400, y: plot.y + 40 },
        { x: plot.x + 700, y: plot.y + 300 });
      await page.waitForSelector(".flame button");
    }],
    ["the menu of tracks", async (page) => {
      await page.getByRole("button", { name: /^Tracks/ }).click();
      await page.getByLabel("Filter tracks").waitFor();
    }],
    ["the keys", async (page) => {
      await page.keyboard.press("?");
      await page.getByRole("dialog").getByText("Keys and mouse").waitFor();
    }],
    ["the health", async (page) => {
      await page.locator("nav button").first().click();
      await page.getByRole("dialog").locator("h1").waitFor();
    }],
    ["a trace that cannot be read", async (page) => {
      await page.getByLabel("Window").selectOption("broken");
      await page.getByText("byte 12: not JSON").waitFor();
    }],
    ["no token", async (page) => {
      await page.evaluate(() => localStorage.clear());
      await page.goto(address() + "?again");
      await page.getByText("This server needs its token").waitFor();
    }],
  ];
  test.each(states)("axe finds nothing serious: %s", async (_, reach) => {
    const { page, close } = await openPage(browser, mock.url);
    await reach(page);
    expect(await seriousInBothThemes(page)).toEqual([[], []]);
    await close();
  });

  test("axe would find what is wrong", async () => {
    const { page, close } = await openPage(browser, mock.url);
    await page.evaluate(() => {
      const button = document.createElement("button");
      const faint = document.createElement("p");
      faint.textContent = "hard to read";
      faint.style.cssText = "color:#eee;background:#fff";
      document.querySelector("main")!.prepend(button, faint);
    });
    // Light on white is faint in both, and found by what looks at colours.
    const [light, dark] = (await seriousInBothThemes(page)).map((one) =>
      JSON.stringify(one));
    expect(light).toContain("button-name");
    expect(light).toContain("color-contrast");
    expect(dark).toContain("color-contrast");
    await close();
  });

  test("both back ends draw the same boxes", async () => {
    const range = "/trace?from=30000000&to=32000000";
    const pictures: Buffer[] = [];
    for (const renderer of ["scan", "gl"]) {
      const { page, problems, close } = await openPage(browser,
        `${address()}?renderer=${renderer}` +
        `${mock.url.slice(mock.url.indexOf("#"))}&${range}`);
      expect((await statsOf(page)).renderer).toBe(renderer);
      expect(problems).toEqual([]);
      if (renderer === "scan")
        pictures.push(await page.locator(".plot").screenshot());
      else {
        // Text differs by its edges; boxes do not. A frame of software GL
        // comes to the screen when it comes.
        const share = async () => page.evaluate(differingShare,
          [...pictures, await page.locator(".plot").screenshot()]
            .map((one) => one.toString("base64")));
        await expect.poll(share).toBeLessThan(0.02);
        await expect.poll(share).toBeGreaterThan(0);
      }
      await close();
    }
  });
});

/** In the page: the share of pixels that differ visibly. */
async function differingShare(pictures: string[]): Promise<number> {
  const [a, b] = await Promise.all(pictures.map(async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height)
      .getContext("2d")!;
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  }));
  let differing = 0;
  for (let n = 0; n < a!.length; n += 4)
    if (Math.abs(a![n]! - b![n]!) + Math.abs(a![n + 1]! - b![n + 1]!) +
      Math.abs(a![n + 2]! - b![n + 2]!) > 60) differing++;
  return differing / (a!.length / 4);
}

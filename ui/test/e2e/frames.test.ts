// SPDX-License-Identifier: Apache-2.0
//
// The viewer in a frame, as a notebook shows it: a page of another port, and
// one that is also a proxy under a path. Refused unless the user named it.
import { createServer, request as ask, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launch, realServer, serve, settled, type Served,
} from "./harness.ts";

const TRACE = "torch_cnn.json.gz";
const PROXY = "/user/me/proxy/";

/**
 * A stand-in for a notebook: `/?VIEWER` is a page with that address in a
 * frame, and what lies below PROXY/PORT/ is that port's. The proxy has a login
 * as Jupyter's: a cookie, or a token of its own in Authorization.
 */
async function startNotebook(): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const proxied = url.pathname.startsWith(PROXY)
      ? /^(\d+)(\/.*)$/.exec(url.pathname.slice(PROXY.length)) : null;
    if (proxied && (!request.headers.cookie?.includes("login=yes") ||
        request.headers.authorization)) {
      response.writeHead(302, { Location: "/login" }).end();
      return;
    }
    if (proxied) {
      const passed = ask({ host: "127.0.0.1", port: Number(proxied[1]),
        method: request.method ?? "GET", path: proxied[2]! + url.search,
        headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on("error", () => response.writeHead(502).end());
      response.on("close", () => passed.destroy());
      passed.end();
      return;
    }
    response.writeHead(200, { "Content-Type": "text/html",
      "Set-Cookie": "login=yes; HttpOnly; SameSite=Lax; Path=/" });
    // The address is set by a script, so that its fragment gets there.
    response.end("<!doctype html><title>notebook</title>" +
      "<iframe width=1400 height=700></iframe>" +
      "<p>cell below</p>");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { server, port: (server.address() as AddressInfo).port };
}

const real = realServer(TRACE);

describe.skipIf(real.missing)(`frames (${real.missing || TRACE})`, () => {
  let browser: Browser;
  let notebook: Awaited<ReturnType<typeof startNotebook>>;
  const running: Served[] = [];
  beforeAll(async () => {
    browser = await launch();
    notebook = await startNotebook();
  });
  afterAll(async () => {
    await browser?.close();
    for (const one of running) await one.stop();
    notebook?.server.closeAllConnections();
    notebook?.server.close();
  });
  const start = async (...options: string[]) => {
    const served = await serve([TRACE], options);
    running.push(served);
    return served.url;
  };
  const origin = (host = "localhost") => `http://${host}:${notebook.port}`;

  /** The notebook with that address in its frame, once the frame has loaded. */
  async function frameOf(url: string, host?: string,
    init?: () => void): Promise<{ page: Page; frame: Frame;
      problems: string[]; close: () => Promise<void>; }> {
    const context = await browser.newContext(
      { viewport: { width: 1500, height: 900 } });
    if (init) await context.addInitScript(init);
    const page = await context.newPage();
    page.setDefaultTimeout(200_000);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await page.goto(origin(host) + "/");
    await page.evaluate((address) => new Promise((done) => {
      const element = document.querySelector("iframe")!;
      element.addEventListener("load", done, { once: true });
      element.src = address;
    }), url);
    const frame = page.frames()[1]!;
    return { page, frame, problems, close: () => context.close() };
  }
  const onTrace = (url: string) => url + "&/trace";
  const expectRefused = async (url: string, host?: string) => {
    const { frame, problems, close } = await frameOf(onTrace(url), host);
    expect(frame.url()).toMatch(/^chrome-error:/);
    expect(problems.join("\n")).toMatch(/frame-ancestors|refused|403/i);
    await close();
  };

  test("a page that was not named gets nothing", async () => {
    await expectRefused(await start());
  });

  test("a page that was named shows the picture", async () => {
    const url = await start("--frame-ancestors", origin());
    const { frame, problems, close } = await frameOf(onTrace(url));
    await settled(frame);
    const stats = await frame.evaluate(() => window.stepscopeTimeline.stats());
    expect(stats.boxes).toBeGreaterThan(50);
    expect(frame.url()).not.toContain("token");
    // All views load, and the page keeps its own rules.
    await frame.getByRole("link", { name: "Operators" }).click();
    await frame.getByRole("grid").first().waitFor();
    expect(problems).toEqual([]);
    await close();
    // Neither the same machine by another name nor another port was named.
    await expectRefused(url, "127.0.0.1");
    await expectRefused(
      await start("--frame-ancestors", `http://localhost:${notebook.port + 1}`,
        "--frame-ancestors", "self"));
  });

  test("where storage is refused, the token lives in memory", async () => {
    const url = await start("--frame-ancestors", origin("127.0.0.1"));
    const { frame, problems, close } = await frameOf(onTrace(url), "127.0.0.1",
      () => {
        if (window === window.top) return;
        for (const name of ["localStorage", "sessionStorage"])
          Object.defineProperty(window, name, { get: () => {
            throw new DOMException("refused", "SecurityError");
          } });
      });
    await settled(frame);
    expect(problems).toEqual([]);
    await close();
  });

  test("a proxy under a path frames it; each viewer has its own token",
    async () => {
      const through = (url: string) => {
        const { port, hash } = new URL(url);
        return `${PROXY}${port}/${hash}`;
      };
      const first = through(await start("--frame-ancestors", "self"));
      const second = through(await start("--frame-ancestors", "self"));
      const { page, frame, problems, close } = await frameOf(onTrace(first));
      await settled(frame);
      expect(new URL(frame.url()).pathname).toBe(first.split("#")[0]);
      // The other one in a tab, and then the first one again without a token.
      const tab = await page.context().newPage();
      tab.setDefaultTimeout(200_000);
      await tab.goto(origin() + onTrace(second));
      await settled(tab);
      await tab.goto(origin() + first.split("#")[0] + "#/trace");
      await settled(tab);
      expect(problems).toEqual([]);
      await close();
    });
});

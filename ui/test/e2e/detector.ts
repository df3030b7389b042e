// SPDX-License-Identifier: Apache-2.0
//
// Says whether a text of a trace has become more than text: something ran,
// an element came to be, the browser refused something, a dialog opened, or
// something was asked of another server.
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { PATIENCE_MS } from "../patience.ts";
import { addUnrest } from "./unrest.ts";

export interface Watched {
  page: Page;
  /** All that was found so far. */
  findings: () => Promise<string[]>;
  /** Forgets it. */
  forget: () => void;
  close: () => Promise<void>;
}

export interface WatchOptions {
  /** Without the page's policy: what its own code does is seen. */
  bypassCSP?: boolean;
  /** Pages of a build with a planted defect, in place of the server's. */
  dist?: string;
  width?: number;
  height?: number;
}

const TYPES: Record<string, string> = { ".html": "text/html",
  ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
  ".woff2": "font/woff2" };

/** Runs in the page: what no text of ours should ever make. */
export function aliensOf(root: ParentNode): string[] {
  const found: string[] = [];
  for (const element of root.querySelectorAll("*")) {
    const bad = [...element.attributes].filter(({ name, value }) =>
      name === "data-x" || name.startsWith("on") || name === "srcdoc" ||
      (/^(href|src|action|formaction|data|xlink:href)$/.test(name) &&
        /^\s*(javascript|data:text|vbscript)/i.test(value)));
    const odd = /^(script|iframe|object|embed|base|template|math|marquee)$/i
      .test(element.localName) && element.closest("body") !== null;
    if (bad.length > 0 || odd)
      found.push(`element ${element.outerHTML.slice(0, 120)}`);
  }
  return found;
}

export async function watch(browser: Browser, options: WatchOptions = {})
  : Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1600, height: options.height ?? 900 },
    bypassCSP: options.bypassCSP ?? false,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const seen: string[] = [];
  await addUnrest(context);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (error) => seen.push("error " + error.message));
  page.on("console", (message) => {
    if (message.type() === "error") seen.push("console " + message.text());
  });
  page.on("dialog", (dialog) => {
    seen.push("dialog " + dialog.message());
    void dialog.dismiss();
  });
  page.on("popup", (popup) => seen.push("popup " + popup.url()));
  // What asks elsewhere is noted, and goes nowhere.
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (!/^(data|blob|file|about):$/.test(protocol) &&
      hostname !== "127.0.0.1") seen.push("request " + request.url());
  });
  await page.addInitScript(() => {
    const notes: string[] = [];
    (window as unknown as { refused: string[] }).refused = notes;
    document.addEventListener("securitypolicyviolation", (event) =>
      notes.push(`refused ${event.violatedDirective} ${event.sample}`));
  });
  if (options.dist) await serveFrom(page, options.dist);
  await context.route((url) => /^https?:$/.test(url.protocol) &&
    url.hostname !== "127.0.0.1", (route) => route.abort());
  const forget = () => void seen.splice(0);
  return { page, forget, close: () => context.close(), findings: async () => {
    const inside = await page.evaluate(() => {
      const own = window as unknown as { hacked?: unknown; refused: string[] };
      return [...own.hacked ? ["script ran"] : [], ...own.refused ?? []];
    });
    return [...seen, ...inside, ...await page.evaluate(
      `(${aliensOf.toString()})(document)`) as string[]];
  } };
}

/** The pages of a folder, with the server's headers; the rest is its own. */
export async function serveFrom(page: Page, dist: string): Promise<void> {
  let headers: Record<string, string> | undefined;
  await page.context().route((url) => url.hostname === "127.0.0.1" &&
    !url.pathname.includes("/api/"), async (route) => {
    const { pathname, origin } = new URL(route.request().url());
    const file = join(dist, pathname === "/" ? "index.html" : pathname);
    headers ??= (await route.fetch({ url: origin + "/" })).headers();
    if (!existsSync(file)) return route.fulfill({ status: 404, headers });
    return route.fulfill({ status: 200, body: readFileSync(file),
      headers: { ...headers,
        "content-type": TYPES[extname(file)] ?? "text/plain" } });
  });
}

// SPDX-License-Identifier: Apache-2.0
//
// A browser and a server for the tests. The real server is build/bin/stepscope
// (or $STEPSCOPE_PROGRAM) with a real trace; where either is not there, its
// tests say so and are skipped.
import { spawn, type ChildProcess } from "node:child_process";
import {
  copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium, type Browser, type Frame, type Page } from "playwright-core";
import { startMock } from "../mock/serve.mjs";
import { PATIENCE_MS } from "../patience.ts";
import { serveFrom } from "./detector.ts";
import { addUnrest, unrestOptions } from "./unrest.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const PROGRAM =
  process.env["STEPSCOPE_PROGRAM"] ?? join(ROOT, "build/bin/stepscope");
const TRACES =
  process.env["STEPSCOPE_TRACES"] ?? join(ROOT, "../shared/traces");
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export const browserPath = BROWSERS.find((path) => existsSync(path)) ?? "";

export interface Served {
  url: string;
  /** Where the traces are that it shows. */
  folder?: string;
  /** Of a real server. */
  pid?: number | undefined;
  stop: () => Promise<void> | void;
}
export interface ServerKind {
  name: string;
  missing: string;
  start: () => Promise<Served>;
}

export const mockServer: ServerKind = {
  name: "a made-up trace",
  missing: browserPath ? "" : "no Chromium",
  start: async () => {
    const mock = await startMock();
    return { url: mock.url, stop: mock.close };
  },
};

function firstAddress(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    const lines = createInterface({ input: child.stdout! });
    lines.on("line", (line) => {
      const url = /http:\/\/\S+#token=\S+/.exec(line)?.[0];
      if (url) done(url);
    });
    child.on("exit", (code) =>
      fail(new Error(`stepscope view ended with ${code}`)));
  });
}

export const tracePath = (file: string) => join(TRACES, file);
export const programPath = PROGRAM;

/**
 * `stepscope view` on a folder with copies of these traces, each where it says
 * or under its own name.
 */
export async function serve(
  files: string[] | Record<string, string>,
  options: string[] = []): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "stepscope-ui-"));
  const places = Array.isArray(files)
    ? Object.fromEntries(files.map((file) => [file, tracePath(file)])) : files;
  for (const [place, file] of Object.entries(places)) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    copyFileSync(file, join(folder, place));
  }
  const served = await serveFolder(folder, options);
  return { url: served.url, folder, stop: async () => {
    await served.stop();
    rmSync(folder, { recursive: true, force: true });
  } };
}

/** `stepscope view` on a folder as it is, with a cache of its own. */
export async function serveFolder(folder: string,
  options: string[] = []): Promise<Served> {
  const cache = mkdtempSync(join(tmpdir(), "stepscope-cache-"));
  const child = spawn(PROGRAM, ["view", folder, "--port", "0", ...options],
    { stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, XDG_CACHE_HOME: cache } });
  const ended = new Promise((done) => child.on("exit", done));
  const url = await firstAddress(child);
  return { url, pid: child.pid, stop: async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(cache, { recursive: true, force: true });
  } };
}

/** A request to the server itself, beside the page. */
export async function api<T>(served: Served, request: string): Promise<T> {
  const { origin, hash } = new URL(served.url);
  const answer = await fetch(`${origin}/api/v1/${request}`, { headers: {
    Authorization: "Bearer " + /token=([0-9a-f]+)/.exec(hash)![1] } });
  return await answer.json() as T;
}

export function realServer(file: string): ServerKind {
  const missing = !browserPath ? "no Chromium"
    : !existsSync(PROGRAM) ? `no ${PROGRAM}`
      : !existsSync(join(TRACES, file)) ? `no ${join(TRACES, file)}` : "";
  return { name: file, missing, start: () => serve([file]) };
}

export interface Session {
  page: Page;
  /** What went wrong in the page so far: errors, refused scripts. */
  problems: string[];
  close: () => Promise<void>;
}

const VIEWPORT = { width: 1600, height: 900 };

export async function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath,
    args: ["--no-sandbox"], ...unrestOptions() });
}

/** The timeline, where an address names no view. */
const withView = (url: string) => /#(.*&)?\//.test(url) ? url
  : url + (url.includes("#") ? "&" : "#") + "/trace";

export async function openPage(browser: Browser, url: string,
  options: { dark?: boolean; wait?: boolean } = {}): Promise<Session> {
  const context = await browser.newContext({
    viewport: VIEWPORT,
    colorScheme: options.dark ? "dark" : "light",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await addUnrest(context);
  const page = await context.newPage();
  const planted = process.env["STEPSCOPE_UI_DIST"];
  if (planted) await serveFrom(page, planted);
  page.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // A refused token and a lost server are told by the page itself.
    if (message.type() === "error" &&
      !/status of 4\d\d|ERR_/.test(message.text()))
      problems.push(message.text());
  });
  await page.goto(withView(url));
  if (options.wait !== false) await settled(page);
  return { page, problems, close: () => context.close() };
}

/**
 * Goes to another address of the page that is open, as a pasted link does: a
 * page that loads anew costs a second of processor time. What was shown before
 * is gone when this returns.
 */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(async (wanted) => {
    (document.activeElement as HTMLElement | null)?.blur();
    const arrived = new Promise((done) =>
      addEventListener("hashchange", done, { once: true }));
    if (location.hash === wanted) location.hash = wanted + "&again";
    else location.hash = wanted;
    await arrived;
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
  }, hash);
}

let visits = 0;
/** The timeline as it opens, in a page that has shown other things before. */
export async function startOver(page: Page): Promise<void> {
  await page.setViewportSize(VIEWPORT);
  await page.mouse.move(0, 0);
  await page.keyboard.press("Escape");
  await goTo(page, `#/trace?visit=${++visits}`);
  await page.keyboard.press("1");
  await settled(page);
}

interface Timeline {
  stats(): Promise<{ sharp: boolean; idle: boolean; blanks: number;
    requests: number; boxes: number; renderer: string; frames: number; }>;
  selected(): { x: number; y: number; width: number; height: number } | null;
  range(): { t0: number; t1: number };
  setRange(range: { t0: number; t1: number }): void;
}
declare global {
  interface Window {
    stepscopeTimeline: Timeline;
  }
}

/** Waits until all that is seen is drawn at its own level. */
export async function settled(page: Page | Frame): Promise<void> {
  await page.waitForSelector(".plot");
  // Asked from here: a waiting function of the page may not be asynchronous.
  for (;;) {
    const stats = await page.evaluate(() =>
      window.stepscopeTimeline?.stats());
    if (stats?.sharp && stats.idle) return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

export const rangeOf = (page: Page) =>
  page.evaluate(() => window.stepscopeTimeline.range());
export const statsOf = (page: Page) =>
  page.evaluate(() => window.stepscopeTimeline.stats());

/** What the address says once it has followed the view. */
export async function addressWith(page: Page, pattern: RegExp)
  : Promise<string> {
  await page.waitForURL(pattern);
  return page.url();
}

/** Answers to such requests do not come until they are let through. */
export async function holdAnswers(page: Page, path: string) {
  const requests = new RegExp(`/api/v1/${path}\\?`);
  let asked = 0;
  let open = () => {};
  const held = new Promise<void>((go) => { open = go; });
  await page.route(requests, async (one) => {
    asked++;
    await held;
    await one.continue().catch(() => {});  // the page asks no more
  });
  return { asked: () => asked, letThrough: async () => {
    open();
    await page.unroute(requests);
  } };
}

/** The middle of the selected event, on the page. */
export async function selectedPoint(page: Page)
  : Promise<{ x: number; y: number }> {
  const rect = await page.evaluate(() => window.stepscopeTimeline.selected());
  const plot = await page.locator(".plot").boundingBox();
  if (!rect || !plot) throw new Error("no event is selected");
  return { x: plot.x + rect.x + rect.width / 2,
    y: plot.y + rect.y + rect.height / 2 };
}

export async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press("/");
  await page.fill("#search", text);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".found-count");
  await page.locator("#search").blur();
}

export async function drag(page: Page, from: { x: number; y: number },
  to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
}

// SPDX-License-Identifier: Apache-2.0
//
// What the viewer's benchmarks share: a generated trace, a server, a browser,
// processor time by thread and memory by process. Linux alone.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

export const ROOT = resolve(import.meta.dirname, "../../..");
const BIN = process.env["STEPSCOPE_BIN"] ?? join(ROOT, "build/bin");
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
export const BROWSER = process.env["CHROMIUM"] ??
  BROWSERS.find((path) => existsSync(path)) ?? "";
export const SCREEN = { width: 1920, height: 1080 };

/** What a benchmark needs and is not there; "": nothing. */
export function missing() {
  if (!BROWSER) return "no Chromium";
  for (const program of ["stepscope", "stepscope_generate"])
    if (!existsSync(join(BIN, program))) return `no ${join(BIN, program)}`;
  return "";
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
export const median = (list) =>
  [...list].sort((a, b) => a - b)[list.length >> 1];

/** Writes a trace; the answers say how many events are in it. */
export function generate(format, path, ...options) {
  const made = spawnSync(join(BIN, "stepscope_generate"),
    [format, path, ...options.map(String)],
    { encoding: "utf8", maxBuffer: 1 << 26 });
  if (made.status !== 0) throw new Error(made.stderr);
  return JSON.parse(made.stdout);
}

/** `stepscope view` of a trace: its address, its process id, an end to it. */
export async function serve(trace, cacheFolder) {
  const child = spawn(join(BIN, "stepscope"),
    ["view", trace, "--port", "0", "--no-browser"],
    { stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, XDG_CACHE_HOME: cacheFolder } });
  const ended = new Promise((done) => child.on("exit", done));
  const end = () => child.kill("SIGTERM");
  process.on("exit", end);
  const url = await new Promise((done, fail) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /http:\/\/\S+#token=\S+/.exec(line);
      if (found) done(found[0]);
    });
    child.on("exit", (code) =>
      fail(new Error(`stepscope view ended with ${code}`)));
  });
  return { url, pid: child.pid, stop: async () => {
    process.off("exit", end);
    end();
    await ended;
  } };
}

export const launch = (...args) => chromium.launch(
  { executablePath: BROWSER, args: ["--no-sandbox", ...args] });

/** The process of a page that has just been opened: the busiest renderer. */
export async function rendererOf(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter((one) => one.type === "renderer")
    .sort((a, b) => b.cpuTime - a.cpuTime);
  await session.detach();
  return renderers[0].id;
}

/** Processor time that the threads of a process have used, in ms. */
export function threadTimes(pid) {
  const times = { main: 0, worker: 0, others: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    try {
      const name = readFileSync(`${folder}/comm`, "utf8");
      const ns = Number(readFileSync(`${folder}/schedstat`, "utf8")
        .split(" ")[0]);
      const kind = thread === String(pid) ? "main"
        : name.startsWith("DedicatedWorker") ? "worker" : "others";
      times[kind] += ns / 1e6;
    } catch {
      // It has ended since it was listed.
    }
  }
  return times;
}

/** Memory of a process now and at its peak, in MB. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const read = (key) =>
    (Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6;
  return { now: read("VmRSS"), peak: read("VmHWM") };
}

/** Rows as a Markdown table. */
export function printTable(head, rows) {
  console.log(`| ${head.join(" | ")} |`);
  console.log(`|${head.map(() => "---").join("|")}|`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}

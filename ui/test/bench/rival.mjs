// SPDX-License-Identifier: Apache-2.0
//
// The same file in stepscope's viewer and in Perfetto's UI: time to the first
// picture, memory of the tab and of the server. `npm run bench:rival -- BYTES`
// (1 GB unless told); a JSON file of torch.profiler's kind of that size is
// made. Perfetto's UI is the copy of tests/viewer/fetch_viewer.py.
import {
  createReadStream, existsSync, mkdtempSync, readdirSync, rmSync, statSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { TimelinePage } from "./timeline.mjs";
import {
  generate, launch, memoryOf, missing, pause, printTable, rendererOf, ROOT,
  SCREEN, serve, threadTimes,
} from "./tools.mjs";

const BYTES = Number(process.argv[2] ?? 1e9);
/** Perfetto is given up after this long. */
const LONGEST_MS = 400_000;
const TYPES = { ".html": "text/html", ".js": "text/javascript",
  ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json",
  ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2" };

function perfettoFolder() {
  const viewers = join(ROOT, ".cache/viewer");
  const version = existsSync(viewers) && readdirSync(viewers).find((name) =>
    existsSync(join(viewers, name, "index.html")));
  return version ? join(viewers, version) : "";
}

/** Perfetto's UI and the trace, on one address of this machine. */
async function servePerfetto(folder, trace) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.split("?")[0]);
    const file = path === "/trace.json" ? trace
      : join(folder, normalize(path === "/" ? "/index.html" : path));
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-length": statSync(file).size,
      "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file, { highWaterMark: 1 << 20 }).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`,
    stop: () => server.close() };
}

const total = (times) =>
  (times.main + times.worker + times.others) / 1000;

/** What a tab and a server have used; seconds since `began`. */
function figures(began, tab, server) {
  const own = server ? threadTimes(server) : null;
  return {
    seconds: (performance.now() - began) / 1000,
    processor: total(threadTimes(tab)) + (own ? total(own) : 0),
    tab: memoryOf(tab), server: server ? memoryOf(server) : null,
  };
}

async function ours(trace, cache) {
  const began = performance.now();
  const served = await serve(trace, cache);
  const browser = await launch();
  const timeline = await TimelinePage.open(browser, served.url);
  const result = figures(began, timeline.pid, served.pid);
  await browser.close();
  await served.stop();
  return result;
}

async function perfettos(trace, folder) {
  const served = await servePerfetto(folder, trace);
  const began = performance.now();
  const browser = await launch(
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");
  const page = await browser.newPage({ viewport: SCREEN });
  let crashed = false;
  page.on("crash", () => {
    crashed = true;
  });
  await page.goto(`${served.url}/#!/?url=${served.url}/trace.json`);
  let peak = 0;
  let result = null;
  while (!crashed && performance.now() - began < LONGEST_MS) {
    // Asked anew each time: the browser may move the page to another process.
    const tab = await rendererOf(browser);
    if (existsSync(`/proc/${tab}`)) peak = Math.max(peak, memoryOf(tab).peak);
    const state = await Promise.race([pause(20_000), page.evaluate(() => {
      const { app } = globalThis;
      const dialog = document.querySelector(".modal-dialog, .pf-modal-dialog");
      return { ready: Boolean(app?.trace?.engine && !app.isLoadingTrace),
        failed: dialog?.textContent?.slice(0, 200) ?? "" };
    }).catch(() => ({}))]);
    if (state?.failed) {
      result = { failed: state.failed };
      break;
    }
    if (state?.ready) {
      // One frame more: the tracks are drawn in it.
      await page.evaluate(() => new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(done))));
      result = figures(began, tab, null);
      break;
    }
    await pause(100);
  }
  result ??= { failed: crashed ? "the tab crashed"
    : `no picture after ${LONGEST_MS / 1000} s` };
  await browser.close();
  served.stop();
  return { peak, ...result };
}

const mb = (memory) => memory ? `${Math.round(memory.now)} MB (peak ` +
  `${Math.round(memory.peak)})` : "none";

async function main() {
  const folder = perfettoFolder();
  const absent = missing() || (folder ? ""
    : "no Perfetto UI; tests/viewer/fetch_viewer.py fetches it");
  if (absent) {
    console.log(`skipped: ${absent}`);
    return;
  }
  const work = mkdtempSync(join(tmpdir(), "stepscope-rival-"));
  process.on("exit", () => rmSync(work, { recursive: true, force: true }));
  const trace = join(work, "trace.pt.trace.json");
  const { events } = generate("kineto", trace, "--bytes", BYTES);
  console.log(`${(statSync(trace).size / 1e6).toFixed(0)} MB of JSON, ` +
    `${events.toLocaleString("en")} events\n`);
  const rows = [
    ["stepscope, cold", await ours(trace, join(work, "cache"))],
    ["stepscope, again", await ours(trace, join(work, "cache"))],
    ["Perfetto UI", await perfettos(trace, folder)],
  ];
  printTable(["viewer", "first picture", "processor time", "tab", "server"],
    rows.map(([name, row]) => row.failed
      ? [name, `failed: ${row.failed}`, "",
        `peak ${Math.round(row.peak)} MB`, ""]
      : [name, `${row.seconds.toFixed(1)} s`,
        `${row.processor.toFixed(1)} s`, mb(row.tab), mb(row.server)]));
}

await main();

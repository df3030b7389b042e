// SPDX-License-Identifier: Apache-2.0
//
// What panning and zooming cost: `npm run bench`. A trace of 10 million events
// on 60 threads is made, served by build/bin/stepscope and opened in Chromium.
// Then what one does to tracks, with 500 of them.
//
// --address ADDRESS  open what `stepscope view` printed instead
// --events N         so many events, e.g. 100000000
// --brief            the first screen alone
// --rows DENSITY     normal, compact or dense rows alone
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parseArgs } from "node:util";
import { control } from "./control.mjs";
import { QuietTab } from "./quiet_tab.mjs";
import { TimelinePage } from "./timeline.mjs";
import { printActs } from "./tracks.mjs";
import {
  generate, launch, median, memoryOf, missing, printTable, ROOT, SCREEN, serve,
} from "./tools.mjs";

const { values: options } = parseArgs({ options: {
  address: { type: "string" },
  events: { type: "string", default: "10000000" },
  pairs: { type: "string", default: "30" },
  brief: { type: "boolean", default: false },
  rows: { type: "string" },
} });
/** Of three slices of the workload two are of the host. */
const HOST_SHARE = 0.68;
const LARGE = { width: 3840, height: 2160 };

/** JavaScript that was asked for before the first picture, in kB. */
const scriptKb = (names) => [...names].reduce((sum, name) => sum +
  gzipSync(readFileSync(join(ROOT, "ui/dist/assets", name))).length, 0) / 1000;

/** True in the page when the exact picture of a place is there. */
const SETTLED = `(async () => {
  const stats = await window.stepscopeTimeline?.stats();
  return !!stats && stats.frames > 0 && stats.sharp && stats.idle &&
    !document.body.innerText.includes("Exact picture follows");
})()`;

/** Looks at many places, near and far, as somebody does in an hour. */
async function wander(url, screen, density, at) {
  const tab = await QuietTab.open(`${url}&/trace?rows=${density}`, screen);
  await tab.until(SETTLED);
  for (let n = 0; n < 150; n++) {
    const range = at((n * 0.381966) % 1, 0.5 ** (1 + (n * 7) % 12));
    await tab.evaluate(
      `window.stepscopeTimeline.setRange(${JSON.stringify(range)})`);
    await tab.until(SETTLED);
  }
  const { held } = await tab.evaluate("window.stepscopeTimeline.stats()");
  const memory = memoryOf(await tab.pid());
  await tab.close();
  return { ...memory, held: held / 1e6 };
}

async function jumps(timeline) {
  const times = [];
  for (let n = 0; n < 15; n++) {
    times.push(await timeline.jump(timeline.at(0.06 + n * 0.06, 3.3e-4)));
    await timeline.settle();
  }
  return { median: median(times), most: Math.max(...times) };
}

async function measure(browser, url, screen, density = "normal") {
  const timeline = await TimelinePage.open(browser, url, screen, density);
  const { whole } = timeline;
  const millisecond = Math.min(0.5, 1e6 / (whole.t1 - whole.t0));
  const moves = {
    "zoom, whole to 1 ms": [whole, timeline.at(0.4, millisecond)],
    "zoom, 3/5 to 1/10": [timeline.at(0.5, 0.6), timeline.at(0.4, 0.1)],
    "pan of half": [timeline.at(0.3, 0.5), timeline.at(0.6, 0.5)],
    "pan of 1/50": [timeline.at(0.5, 0.02), timeline.at(0.56, 0.02)],
  };
  const rows = [];
  for (const [title, [from, to]] of Object.entries(moves))
    rows.push({ title, ...await timeline.move(from, to) });
  const jump = await jumps(timeline);
  await timeline.page.close();
  const tab = await wander(url, screen, density,
    (middle, share) => timeline.at(middle, share));
  return { rows, jump, tab, timeline };
}

const digits = (value, n = 2) => value.toFixed(n);
const thousands = (value) => `${Math.round(value / 1000)} k`;

function print(title, { rows, jump, tab, timeline }) {
  console.log(`\n${title}\n`);
  printTable(["move", "boxes", "script ms", "main thread ms", "worker ms",
    "frames of 60", "blank", "requests"],
  rows.map((row) => [row.title, thousands(row.boxes), digits(row.scriptMs),
    digits(row.mainMs), digits(row.workerMs, 1), Math.round(row.drawn),
    row.blank, row.requests]));
  // By the clock: where a frame's time goes, not how much there is of it.
  console.log("");
  printTable(["of a frame of the worker, ms by the clock", "boxes",
    "to the canvas", "names", "all"],
  rows.map(({ title: move, stages }) => [move, digits(stages.raster),
    digits(stages.copy), digits(stages.text), digits(stages.all)]));
  console.log(`\njump to an unseen 1 ms: ${Math.round(jump.median)} ms ` +
    `(most ${Math.round(jump.most)}); first picture ` +
    `${Math.round(timeline.firstPictureMs)} ms; after 150 places the tab ` +
    `has ${Math.round(tab.now)} MB, ${Math.round(tab.held)} MB of it tiles ` +
    `(at its peak ${Math.round(tab.peak)} MB)`);
}

async function main() {
  const absent = missing();
  if (absent) {
    console.log(`skipped: ${absent}`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "stepscope-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  let served = null;
  if (!options.address) {
    const trace = join(folder, "trace.sscap");
    const { events } = generate("capture", trace, "--events",
      Math.round(options.events / HOST_SHARE), "--pairs", options.pairs);
    console.log(`${events.toLocaleString("en")} events, ` +
      `${2 * options.pairs} threads`);
    served = await serve(trace, join(folder, "cache"));
  }
  const browser = await launch();
  const empty = await control(browser);
  const url = options.address ?? served.url;
  let usual = null;
  for (const screen of options.brief ? [SCREEN] : [SCREEN, LARGE])
    for (const density of options.rows ? [options.rows] : ["normal", "dense"]) {
      const figures = await measure(browser, url, screen, density);
      usual ??= figures;
      print(`${screen.width} x ${screen.height}, ${density} rows, processor ` +
        `time per frame`, figures);
    }
  console.log(`\nload of the machine: ` +
    loadavg().map((load) => load.toFixed(1)).join(" "));
  console.log(`\nan empty page with a worker that draws: ` +
    `${digits(empty.mainMs)} ms of the main thread per frame`);
  if (served) {
    const server = memoryOf(served.pid);
    console.log(`server: ${Math.round(server.now)} MB, at its peak ` +
      `${Math.round(server.peak)} MB`);
  }
  console.log(`first JavaScript: ` +
    `${digits(scriptKb(usual.timeline.scripts), 1)} kB gzipped`);
  await served?.stop();
  if (!options.brief) await printActs(browser, folder);
  await browser.close();
}

await main();

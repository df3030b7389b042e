// SPDX-License-Identifier: Apache-2.0
//
// What panning and zooming cost: `npm run bench -- ADDRESS`, where ADDRESS is
// what `stepscope view` printed. 120 frames from the whole trace to 1/10,000
// of it, then 120 frames of panning, then jumps; figures are of the main thread
// (Chromium's own count) and of the worker.
import { chromium } from "playwright-core";

const FRAMES = 120;
const address = process.argv[2];
if (!address) {
  console.error("usage: npm run bench -- ADDRESS");
  process.exit(2);
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1920,
  height: 1080 } });
const opened = performance.now();
await page.goto(address);
/** Asks the worker until it says what is wanted. */
async function until(isThere) {
  for (;;) {
    const stats = await page.evaluate(() =>
      window.stepscopeTimeline?.stats());
    if (stats && isThere(stats)) return stats;
    await new Promise((done) => setTimeout(done, 10));
  }
}
await until((stats) => stats.frames > 0);
console.log(`first picture after ${Math.round(performance.now() - opened)} ms`);
const settle = () => until((stats) => stats.sharp && stats.idle);
await settle();
const cdp = await page.context().newCDPSession(page);
// Processor time, not wall time: other programs do not count.
await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
const metrics = async () => Object.fromEntries(
  (await cdp.send("Performance.getMetrics")).metrics
    .map(({ name, value }) => [name, value]));

/** Moves from one range to another; both in ns. */
async function measure(title, from, to) {
  await page.evaluate((range) => window.stepscopeTimeline.setRange(range),
    from);
  await settle();
  const before = await page.evaluate(() => window.stepscopeTimeline.stats());
  const start = await metrics();
  const wall = await page.evaluate(async ({ from: a, to: b, frames }) => {
    const began = performance.now();
    for (let n = 1; n <= frames; n++) {
      const share = n / frames;
      // A zoom keeps its target under the pointer; a pan goes evenly.
      const [whole, part] = [a.t1 - a.t0, b.t1 - b.t0];
      const length = whole * (part / whole) ** share;
      const left = whole > part * 1.001
        ? (length - part) / (whole - part) : 1 - share;
      const middle = (b.t0 + b.t1) / 2 +
        ((a.t0 + a.t1) / 2 - (b.t0 + b.t1) / 2) * left;
      window.stepscopeTimeline.setRange(
        { t0: middle - length / 2, t1: middle + length / 2 });
      await new Promise(requestAnimationFrame);
    }
    return performance.now() - began;
  }, { from, to, frames: FRAMES });
  const end = await metrics();
  const last = performance.now();
  await settle();
  const tail = performance.now() - last;
  const after = await page.evaluate(() => window.stepscopeTimeline.stats());
  const per = (key) => (((end[key] - start[key]) * 1000) / FRAMES).toFixed(2);
  console.log(`${title}: ${FRAMES} frames in ${Math.round(wall)} ms; ` +
    `main thread a frame: ${per("ScriptDuration")} ms script, ` +
    `${per("TaskDuration")} ms in all; drawn ${after.frames - before.frames}` +
    `, last ${after.frameMs.toFixed(1)} ms, ${after.boxes} boxes; ` +
    `${after.tileRequests - before.tileRequests} requests for tiles, ` +
    `${after.requests - before.requests} in all, ` +
    `${Math.round((after.bytes - before.bytes) / 1000)} kB, ` +
    `blank ${after.blanks - before.blanks}, tail ${Math.round(tail)} ms`);
}

const whole = await page.evaluate(() => window.stepscopeTimeline.range());
const length = whole.t1 - whole.t0;
const at = (middle, share) => ({ t0: whole.t0 + length * (middle - share / 2),
  t1: whole.t0 + length * (middle + share / 2) });
await measure("zoom", whole, at(0.4, 1e-4));
await measure("pan", at(0.5, 0.02), at(0.56, 0.02));

const jumps = [];
for (let n = 0; n < 9; n++) {
  const start = performance.now();
  await page.evaluate((range) => window.stepscopeTimeline.setRange(range),
    at(0.1 + n * 0.09, 2e-4));
  await until((stats) => stats.sharp);
  jumps.push(performance.now() - start);
}
jumps.sort((a, b) => a - b);
console.log(`jump to an unseen place: ${Math.round(jumps[4])} ms (median)`);
await browser.close();

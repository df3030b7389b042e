// SPDX-License-Identifier: Apache-2.0
//
// Moves the timeline of an open page and says what it cost. The same frames in
// every run: a range per frame of the page, whatever the machine does.
import { rendererOf, SCREEN, threadTimes } from "./tools.mjs";

export class TimelinePage {
  static async open(browser, url, screen = SCREEN, rows = "normal") {
    const page = await browser.newPage({ viewport: screen });
    const self = new TimelinePage(page);
    page.on("request", (request) => {
      const name = /\/assets\/([^/]+\.js)$/.exec(request.url())?.[1];
      if (name && !self.firstPictureMs) self.scripts.add(name);
    });
    const began = performance.now();
    await page.goto(`${url}&/trace?rows=${rows}`);
    await self.until((stats) => stats.frames > 0);
    self.firstPictureMs = performance.now() - began;
    // What is measured is the exact picture, not the change to it.
    await page.getByText("Preview. Exact picture follows")
      .waitFor({ state: "detached", timeout: 0 });
    await self.settle();
    self.pid = await rendererOf(browser);
    self.cdp = await page.context().newCDPSession(page);
    // Processor time, not wall time: other programs do not count.
    await self.cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    self.whole = await page.evaluate(() => window.stepscopeTimeline.range());
    return self;
  }
  constructor(page) {
    this.page = page;
    this.firstPictureMs = 0;
    this.scripts = new Set();
  }

  stats() {
    return this.page.evaluate(() => window.stepscopeTimeline?.stats());
  }
  /** Asks the worker until it says what is wanted. */
  async until(isThere) {
    for (;;) {
      const stats = await this.stats();
      if (stats && isThere(stats)) return stats;
      await new Promise((done) => setTimeout(done, 10));
    }
  }
  settle() {
    return this.until((stats) => stats.sharp && stats.idle);
  }
  /** A range: its middle and its length as shares of the whole. */
  at(middle, share) {
    const length = this.whole.t1 - this.whole.t0;
    return { t0: this.whole.t0 + length * (middle - share / 2),
      t1: this.whole.t0 + length * (middle + share / 2) };
  }
  setRange(range) {
    return this.page.evaluate((next) =>
      window.stepscopeTimeline.setRange(next), range);
  }

  async scriptMs() {
    const { metrics } = await this.cdp.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "ScriptDuration").value * 1000;
  }

  /** From one range to another; figures are per frame. */
  async move(from, to, frames = 120) {
    await this.setRange(from);
    const before = await this.settle();
    const script = await this.scriptMs();
    const times = threadTimes(this.pid);
    const boxes = await this.page.evaluate(moveInPage, { from, to, frames });
    const used = threadTimes(this.pid);
    const scriptMs = (await this.scriptMs()) - script;
    const after = await this.stats();
    const settled = await this.settle();
    const drawn = after.frames - before.frames;
    const perFrame = (key) =>
      (after.spent[key] - before.spent[key]) / Math.max(1, drawn);
    return {
      stages: Object.fromEntries(Object.keys(after.spent).map((key) =>
        [key, perFrame(key)])),
      scriptMs: scriptMs / frames,
      mainMs: (used.main - times.main) / frames,
      workerMs: (used.worker - times.worker) / Math.max(1, drawn),
      drawn: Math.min(60, (drawn * 60) / frames),
      boxes,
      requests: settled.tileRequests - before.tileRequests,
      blank: settled.blanks - before.blanks,
    };
  }

  /** How long the picture of a place takes that was never looked at. */
  async jump(to) {
    return this.page.evaluate(async (range) => {
      const timeline = window.stepscopeTimeline;
      const began = performance.now();
      timeline.setRange(range);
      for (;;) {
        const stats = await timeline.stats();
        if (stats.sharp) return performance.now() - began;
        // Not at once again: the worker has the picture to make.
        await new Promise((done) => setTimeout(done, 2));
      }
    }, to);
  }
}

/** Runs in the page. The most boxes that were on the screen come back. */
async function moveInPage({ from: a, to: b, frames }) {
  const timeline = window.stepscopeTimeline;
  const [whole, part] = [a.t1 - a.t0, b.t1 - b.t0];
  let boxes = 0;
  for (let n = 1; n <= frames; n++) {
    const share = n / frames;
    const length = whole * (part / whole) ** share;
    // A zoom keeps its target under the pointer; a pan goes evenly.
    const left = whole > part * 1.001
      ? (length - part) / (whole - part) : 1 - share;
    const middle = (b.t0 + b.t1) / 2 +
      ((a.t0 + a.t1) / 2 - (b.t0 + b.t1) / 2) * left;
    timeline.setRange({ t0: middle - length / 2, t1: middle + length / 2 });
    if (n % 20 === 0)
      boxes = Math.max(boxes, (await timeline.stats()).boxes);
    await new Promise(requestAnimationFrame);
  }
  return boxes;
}

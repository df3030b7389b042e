// SPDX-License-Identifier: Apache-2.0
//
// A tab as a user has it. Playwright listens to the network of its tabs, and a
// tab that is listened to keeps what it received, 200 MB of it: its memory
// says nothing. This one is told what to do over a pipe, and no more.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BROWSER, pause } from "./tools.mjs";

/** Talks to a browser by its pipe. Messages are JSON, a 0 after each. */
class Pipe {
  constructor(child) {
    this.out = child.stdio[3];
    this.waiting = new Map();
    this.serial = 0;
    let rest = "";
    child.stdio[4].setEncoding("utf8").on("data", (text) => {
      const parts = (rest + text).split("\0");
      rest = parts.pop();
      for (const part of parts) this.receive(JSON.parse(part));
    });
  }
  receive({ id, result, error }) {
    const waits = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waits?.fail(new Error(error.message));
    else waits?.done(result);
  }
  send(method, params = {}, sessionId = undefined) {
    const id = ++this.serial;
    this.out.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((done, fail) => this.waiting.set(id, { done, fail }));
  }
}

export class QuietTab {
  static async open(url, screen) {
    const folder = mkdtempSync(join(tmpdir(), "stepscope-tab-"));
    const child = spawn(BROWSER, ["--headless", "--no-sandbox",
      "--remote-debugging-pipe", `--user-data-dir=${folder}`,
      `--window-size=${screen.width},${screen.height}`],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    const tab = new QuietTab(child, folder);
    const pipe = tab.pipe = new Pipe(child);
    const { targetId } = await pipe.send("Target.createTarget",
      { url: "about:blank" });
    const { sessionId } = await pipe.send("Target.attachToTarget",
      { targetId, flatten: true });
    tab.session = sessionId;
    await pipe.send("Emulation.setDeviceMetricsOverride",
      { ...screen, deviceScaleFactor: 1, mobile: false }, sessionId);
    await pipe.send("Page.navigate", { url }, sessionId);
    return tab;
  }
  constructor(child, folder) {
    this.child = child;
    this.folder = folder;
    this.ended = new Promise((done) => child.on("exit", done));
    this.end = () => child.kill("SIGKILL");
    process.on("exit", this.end);
  }

  /** The value of an expression in the page. */
  async evaluate(expression) {
    const { result } = await this.pipe.send("Runtime.evaluate",
      { expression, awaitPromise: true, returnByValue: true }, this.session);
    return result.value;
  }
  /** Asks until the answer is true. */
  async until(expression) {
    while (!await this.evaluate(expression)) await pause(10);
  }
  /** The process of the tab: the busiest renderer. */
  async pid() {
    const { processInfo } = await this.pipe.send("SystemInfo.getProcessInfo");
    return processInfo.filter((one) => one.type === "renderer")
      .sort((a, b) => b.cpuTime - a.cpuTime)[0].id;
  }
  async close() {
    // By a word, not by a signal: the processes of the browser end together.
    void this.pipe.send("Browser.close").catch(() => {});
    await this.ended;
    process.off("exit", this.end);
    for (const stream of this.child.stdio) stream?.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

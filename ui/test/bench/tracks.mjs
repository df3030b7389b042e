// SPDX-License-Identifier: Apache-2.0
//
// What moving, pinning, folding, hiding and filtering tracks costs the page
// when there are 500 of them: a frame has 16.6 ms.
import { join } from "node:path";
import { TimelinePage } from "./timeline.mjs";
import { generate, median, printTable, serve, threadTimes } from "./tools.mjs";

/** What is clicked, on which of the tracks that are seen. */
const ACTS = [["Move up", 8], ["Fold to one row", 5], ["Open the track", 5],
  ["Pin to the top", 6], ["Unpin", 0], ["Hide the track", 4]];

/** Runs in the page: the act, and the frames that show it. */
async function click({ label, at }) {
  const track = document.querySelectorAll(".gutter-track")[at];
  track.querySelector(`[aria-label="${label}"]`).click();
  for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
}
async function filter(text) {
  const input = document.querySelector(".menu input");
  input.value = text;
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
}

async function cost(timeline, run, argument) {
  const before = threadTimes(timeline.pid);
  await timeline.page.evaluate(run, argument);
  const after = threadTimes(timeline.pid);
  await timeline.settle();
  return after.main - before.main;
}

export async function printActs(browser, folder) {
  const trace = join(folder, "tracks.sscap");
  generate("capture", trace, "--events", 2_000_000, "--pairs", 250);
  const served = await serve(trace, join(folder, "cache"));
  const timeline = await TimelinePage.open(browser, served.url);
  await timeline.setRange(timeline.at(0.5, 0.3));
  await timeline.settle();
  const times = new Map();
  const add = (name, ms) => times.set(name, [...times.get(name) ?? [], ms]);
  for (let round = 0; round < 5; round++)
    for (const [label, at] of ACTS)
      add(label, await cost(timeline, click, { label, at }));
  await timeline.page.getByRole("button", { name: /^Tracks/ }).click();
  for (const text of ["m", "ma", "main 10", "main", "", "a", "auto", ""])
    add("Filter", await cost(timeline, filter, text));
  await timeline.page.close();
  await served.stop();
  console.log("\n500 tracks, main thread, two frames included\n");
  printTable(["act", "median ms", "most ms"], [...times].map(([name, list]) =>
    [name, median(list).toFixed(1), Math.max(...list).toFixed(1)]));
}

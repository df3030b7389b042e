// SPDX-License-Identifier: Apache-2.0
//
// Takes the pictures of the viewer for the documentation, in light and dark and
// at three sizes: npm run pictures, or node test/pictures.mjs PATTERN. Needs
// build/bin/stepscope, Chromium and ../shared/traces; makes them small by
// pngquant. Look at each before it is kept.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const ROOT = resolve(import.meta.dirname, "../..");
const TRACES = process.env.STEPSCOPE_TRACES ?? join(ROOT, "../shared/traces");
const PROGRAM = process.env.STEPSCOPE_PROGRAM ??
  join(ROOT, "build/bin/stepscope");
const IMAGES = join(ROOT, "docs/images");
const BROWSER = "/usr/bin/chromium-headless-shell";

const RESNET = "torch_resnet50_amp";
const FILES = {
  [`resnet50/${RESNET}.json.gz`]: `${RESNET}.json.gz`,
  "resnet50/kineto_2021_resnet50.pt.trace.json.gz":
    "kineto_2021_resnet50.pt.trace.json.gz",
  "ddp/rank0.json.gz": "torch_ddp_gloo_rank0.json.gz",
  "ddp/rank1.json.gz": "torch_ddp_gloo_rank1.json.gz",
  "snapshot/train.pickle": "memory/train.pickle",
};

// Of the first, each view is as high as its content asks for.
const SIZES = [
  { width: 1440, place: "viewer_NAME" },
  { width: 1024, height: 768, place: "viewer_sizes/NAME_1024", colours: "64" },
  { width: 1920, height: 1080, place: "viewer_sizes/NAME_1920", colours: "64" },
];

/** A server, whose requests are added as a capture has them. */
const SERVING =
  join(ROOT, "tests/fixtures/serving/h200_toy_graph_async");

async function tableOf(page) {
  await page.waitForSelector(".t-row");
}

/** Finds a kernel, and shows it with what launched it. */
async function selectKernel(page) {
  await drawn(page);
  await page.keyboard.press("/");
  await page.fill("#search", "batchnorm_bwtr");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".details h2");
  await page.locator("#search").blur();
  // Folded, the main thread leaves room for the one that launched it.
  const thread = page.locator(".gutter-track", { hasText: "thread 393" });
  await thread.hover();
  await thread.getByLabel("Fold to one row").click();
  await page.evaluate(() => document.activeElement.blur());
  await page.mouse.wheel(0, -5000);
  await page.mouse.move(0, 0);
  for (const key of ["f", "s", "s", "s", "s"]) {
    await page.keyboard.press(key);
    await drawn(page);
  }
}

async function drawn(page) {
  await page.waitForSelector(".plot");
  for (;;) {
    const stats = await page.evaluate(() => window.stepscopeTimeline?.stats());
    if (stats?.sharp && stats.idle) return;
    await page.waitForTimeout(50);
  }
}

async function dragOver(page, from, to) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 3 });
  await page.mouse.up();
}

/** What the page of the start says of each file comes one after the other. */
async function listed(page) {
  await tableOf(page);
  await page.waitForFunction(
    () => !document.body.innerText.includes("read so far"));
}

async function flame(page) {
  await page.waitForSelector(".flame button");
}

// name, height at 1440, where, what to wait for or do.
const VIEWS = [
  ["traces", 760, "", "traces", listed],
  ["overview", 1110, "resnet50", "overview", async (page) => {
    await page.waitForSelector(".finding");
    await page.waitForSelector(".u-over");
    await page.waitForSelector("rect");
  }],
  ["trace", 860, "resnet50", "trace", selectKernel],
  ["selection", 860, "resnet50", "trace", async (page) => {
    await drawn(page);
    await dragOver(page, [470, 440], [760, 640]);
    await page.waitForSelector(".flame button");
    await page.mouse.move(0, 0);
  }],
  ["flame", 860, "resnet50", "flame", flame],
  ["operators", 760, "resnet50", "operators", tableOf],
  ["kernels", 760, "resnet50", "kernels", tableOf],
  ["memory", 760, "resnet50", "memory?tab=live", async (page) => {
    await tableOf(page);
    await page.waitForSelector(".memory-map[data-fresh=true]");
  }],
  ["memory_map", 860, "snapshot", "memory", async (page) => {
    await page.waitForSelector(".memory-map[data-fresh=true]");
  }],
  ["distributed", 860, "ddp", "distributed", tableOf],
  ["steps", 760, "resnet50", "steps?tab=folded", tableOf],
  ["tables", 760, "resnet50", "tables", tableOf],
  ["sql", 760, "resnet50", "sql", async (page) => {
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.mouse.move(0, 0);
    await tableOf(page);
  }],
  ["serving", 1000, "serving", "serving?request=5", async (page) => {
    await page.waitForSelector(".lane[aria-selected=true]");
    await page.waitForSelector(".parts-of li");
    await page.waitForSelector(".histogram");
  }],
  ["compare", 760, "resnet50", "compare", async (page) => {
    await page.locator(".choices button", { hasText: "kineto" }).click();
    await tableOf(page);
  }],
  ["whatif", 900, "resnet50", "overview?change=graph%3Bfuse_small",
    async (page) => {
      await page.waitForSelector("[data-change=all]");
      await page.locator(".whatif-result").scrollIntoViewIfNeeded();
    }],
];

async function serve(folder) {
  for (const [place, file] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    copyFileSync(join(TRACES, file), join(folder, place));
  }
  mkdirSync(join(folder, "serving"));
  spawnSync(join(dirname(PROGRAM), "viewer_serving_trace"),
    [`${SERVING}.json.gz`, `${SERVING}.truth.json`,
      join(folder, "serving/server.sscap")]);
  const child = spawn(PROGRAM, ["view", folder, "--port", "0", "--no-cache"],
    { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/\S+#token=\S+/.exec(line)?.[0];
    if (url) return { url, child };
  }
  throw new Error("stepscope view ended without an address");
}

async function runsOf(url) {
  const { origin, hash } = new URL(url);
  const answer = await fetch(`${origin}/api/v1/runs`, { headers: {
    Authorization: "Bearer " + hash.slice("#token=".length) } });
  return (await answer.json()).runs;
}

async function save(page, name, colours = "256") {
  const path = join(IMAGES, name + ".png");
  await page.screenshot({ path });
  const made = spawnSync("pngquant",
    ["--force", "--ext", ".png", "--speed", "1", colours, path]);
  console.log(path, made.error ? "(as it is: no pngquant)" : "");
}

const scratch = mkdtempSync(join(tmpdir(), "stepscope-pictures-"));
const folder = join(scratch, "traces");
const { url, child } = await serve(folder);
const runs = await runsOf(url);
const browser = await chromium.launch(
  { executablePath: BROWSER, args: ["--no-sandbox"] });
const wanted = new RegExp(process.argv[2] ?? ".");

async function takeView(colorScheme, size, [name, tall, run, view, reach]) {
  const { width, height = tall } = size;
  const page = await browser.newPage(
    { colorScheme, viewport: { width, height } });
  let query = "";
  if (run) {
    const { id, workers } = runs.find((one) => one.name === run);
    const worker = workers.find((one) => one.name === RESNET) ?? workers[0];
    const all = run === "ddp" ? "all" : worker.id;
    query = `${view.includes("?") ? "&" : "?"}run=${id}&worker=${all}`;
  }
  await page.goto(`${url}&/${view}${query}`);
  await reach(page);
  // What was asked for beside it, and fonts.
  await page.waitForFunction(() => document.fonts.status === "loaded" &&
    !/Reading [a-z ]+…/.test(document.body.innerText));
  await page.waitForTimeout(400);
  const dark = colorScheme === "dark" ? "_dark" : "";
  await save(page, size.place.replace("NAME", name) + dark, size.colours);
  await page.close();
}

async function takeAll() {
  mkdirSync(join(IMAGES, "viewer_sizes"), { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    const dark = colorScheme === "dark" ? "_dark" : "";
    for (const view of VIEWS) {
      if (!wanted.test(view[0])) continue;
      for (const size of SIZES) await takeView(colorScheme, size, view);
    }
    if (!wanted.test("report")) continue;
    const report = join(scratch, "report.html");
    spawnSync(PROGRAM, ["report", `${RESNET}.json.gz`, "-o", report],
      { cwd: join(folder, "resnet50") });
    const page = await browser.newPage(
      { colorScheme, viewport: { width: 1280, height: 1700 } });
    await page.goto("file://" + report);
    await save(page, `report${dark}`);
    await page.close();
  }
}

try {
  await takeAll();
} finally {
  await browser.close();
  child.kill("SIGTERM");
  rmSync(scratch, { recursive: true, force: true });
}

// SPDX-License-Identifier: Apache-2.0
//
// Every figure of every view, on real traces of four recorders, is what the
// tool prints: `stepscope summary --format json`, and for what only the viewer
// has, the server's table.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type {
  AdviseDoc, DeclaredColumn, DeclaredTable, FlatTable, MemoryPlace, Runs,
  SummaryDoc,
} from "../../src/generated/answers.ts";
import { valueAt } from "../../src/model/declared.ts";
import {
  formatBytes, formatCount, formatRange, formatShare, formatTime,
} from "../../src/model/format.ts";
import { placeName } from "../../src/model/memory.ts";
import { STAGES, TYPES } from "../../src/generated/looks.ts";
import { lookOf } from "../../src/model/palette.ts";
import {
  browserPath, goTo, launch, openPage, programPath, serve, tracePath,
  type Served, type Session,
} from "./harness.ts";
import { ask, expectTable, rowsOfFlat, rowsOfObjects } from "./tables.ts";

const TRACES: Record<string, string> = {
  torch: "torch_resnet50_amp.json.gz",
  paddle: "paddle/paddle33_cnn.paddle_trace.json.gz",
  jax: "jax.xplane.pb",
  capture: "torch_cnn.json.gz",  // made a capture of ours before it is shown
};
const names = Object.keys(TRACES);
const needed = [browserPath, programPath,
  ...Object.values(TRACES).map(tracePath)];
const missing = needed.filter((path) => !path || !existsSync(path));

const plain = (text: string) => text.replace(/\s+/g, " ").trim();

describe.skipIf(missing.length > 0)(
  `figures (without ${missing.join(", ") || "nothing"})`, () => {
    let browser: Browser;
    let server: Served;
    let tables: DeclaredTable[];
    let ids: Record<string, string>;
    let runs: Record<string, string>;
    let shared: Session | null = null;
    const files: Record<string, string> = {};
    const folder = mkdtempSync(join(tmpdir(), "stepscope-figures-"));

    function documentOf<T>(command: string, name: string, ...more: string[])
      : T {
      return JSON.parse(execFileSync(programPath,
        [command, files[name]!, "--format", "json", ...more],
        { maxBuffer: 1 << 28, encoding: "utf8" })) as T;
    }
    const summaries = new Map<string, SummaryDoc>();
    const summaryOf = (name: string): SummaryDoc => {
      if (!summaries.has(name))
        summaries.set(name, documentOf("summary", name));
      return summaries.get(name)!;
    };
    const declared = (key: string): DeclaredColumn[] =>
      tables.find((one) => one.key === key)!.columns;
    const inside = (key: string, column: string): DeclaredColumn[] =>
      declared(key).find((one) => one.key === column)!.columns!;
    const flat = (name: string, table: string, more = "") =>
      ask<FlatTable>(server.url,
        `table?t=${ids[name]}&name=${table}${more}`);
    const all = (columns: DeclaredColumn[]) => "cols=" + columns
      .filter((one) => !/^(rows|list)$/.test(one.type))
      .map((one) => one.key).join(",");

    beforeAll(async () => {
      for (const [name, file] of Object.entries(TRACES))
        files[name] = tracePath(file);
      files["capture"] = join(folder, "cnn.sscap");
      execFileSync(programPath, ["convert", tracePath(TRACES["capture"]!),
        "-o", files["capture"]]);
      browser = await launch();
      server = await serve(Object.fromEntries(names.map((name) =>
        [`${name}/${files[name]!.split("/").pop()}`, files[name]!])));
      tables = (await ask<{ tables: DeclaredTable[] }>(
        server.url, "tables")).tables;
      const all = (await ask<Runs>(server.url, "runs")).runs;
      ids = Object.fromEntries(all.map((run) =>
        [run.name, run.workers[0]!.windows[0]!.t]));
      runs = Object.fromEntries(all.map((run) => [run.name, run.id]));
    });
    // A page in which something failed is not used again.
    afterEach(async ({ task }) => {
      if (task.result?.state === "pass") return;
      await shared?.close();
      shared = null;
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Goes to a view of a trace, with settings of its address. */
    async function show(name: string, view: string, more = "")
      : Promise<Session> {
      shared ??= await openPage(browser, server.url + "&/steps",
        { wait: false });
      const { page } = shared;
      await goTo(page, `#/${view}?` + ["run=" +
        encodeURIComponent(runs[name]!), more].filter(Boolean).join("&"));
      await page.locator("h1").waitFor();
      await page.getByText(/^Reading .*…$|^Reading the |^reading…$/).first()
        .waitFor({ state: "detached" });
      return shared;
    }
    async function finish({ problems }: Session) {
      expect(problems).toEqual([]);
    }
    /** The texts of the cells of a plain table, row by row. */
    const cellsOf = async (page: Page, card: string) =>
      (await page.getByRole("region", { name: card, exact: true })
        .locator("table tbody tr").evaluateAll((rows) => rows.map((row) =>
          [...row.querySelectorAll("th, td")].map((cell) =>
            cell.textContent ?? "")))).map((row) => row.map(plain));
    const lastOf = async (page: Page, card: string) =>
      (await cellsOf(page, card)).map((row) => row.slice(2));
    const facts = async (page: Page, card: string) => Object.fromEntries(
      (await page.getByRole("region", { name: card, exact: true })
        .locator("dl > div").evaluateAll((rows) => rows.map((row) =>
          [row.querySelector("dt")?.textContent ?? "",
            row.querySelector("dd")?.textContent ?? ""])))
        .map(([key, value]) => [plain(key!), plain(value!)]));
    /** Once it is there: cards fill one by one. */
    const same = (read: () => Promise<unknown>, wanted: unknown) =>
      expect.poll(read).toEqual(wanted);
    const text = async (page: Page, key: string) => plain(await page
      .locator(`[data-figure="${key}"]`).first().innerText());

    test.each(names)("overview, what it says first: %s", async (name) => {
      const doc = summaryOf(name);
      const advise = documentOf<AdviseDoc>("advise", name);
      const session = await show(name, "overview");
      const { page } = session;
      const first = advise.advice[0];
      if (first) await page.getByRole("heading", { level: 1,
        name: first.finding.replace(/ us\b/g, " µs") }).waitFor();
      const period = doc.step_time?.period;
      await same(() => text(page, "step"), period
        ? plain(formatTime(period.p50_ns)) : "–");
      // Without a device, cards are about the host.
      if (advise.device_busy !== null && doc.overview.gpu.length > 0)
        await same(() => text(page, "busy"),
          plain(formatShare(advise.device_busy)));
      else
        expect(await page.locator(`[data-figure="busy"]`).count()).toBe(0);
      const device = doc.memory.filter((one) => /gpu/i.test(one.place));
      const places = device.length > 0 ? device : doc.memory;
      await same(() => text(page, "memory"), places.length > 0
        ? plain(formatBytes(Math.max(...places.map((one) =>
          one.peak_allocated_bytes)))) : "–");
      const detail = plain(await page.locator(".page-head p").innerText());
      expect(detail).toContain(
        `${formatCount(doc.ledger.seen)} records read`);
      await expect.poll(() => page.locator(".finding").count())
        .toBe(advise.advice.length);
      for (const [i, one] of advise.advice.entries()) {
        const shown = plain(await page.locator(".finding").nth(i)
          .locator(".saving").innerText());
        if (one.saving_ns !== null)
          expect(shown).toContain(plain(formatTime(one.saving_ns)));
        if (one.change && one.low_ns !== null && one.high_ns !== null)
          expect(shown).toContain(
            plain(formatRange(one.low_ns, one.high_ns)));
        if (one.saving_ratio !== null)
          expect(shown).toContain(plain(formatShare(one.saving_ratio)));
      }
      await finish(session);
    });

    test.each(names)("overview, parts, stages, events: %s", async (name) => {
      const doc = summaryOf(name);
      const session = await show(name, "overview");
      const { page } = session;
      // Where a step goes: means of what the summary has of all steps.
      const waterfall = doc.waterfall!;
      const steps = waterfall.per_step.length;
      const parts = waterfall.parts.filter((part, i) =>
        part.time_ns > 0 || i + 1 === waterfall.parts.length);
      await same(() => lastOf(page, "Where a step goes"), parts.map((part) =>
        [formatTime(near(part.time_ns / steps)),
          formatShare(part.ratio)].map(plain)));
      await expect.poll(async () =>
        plain(await page.locator("tr[data-part=step]").innerText()))
        .toContain(plain(formatTime(near(waterfall.step_ns / steps))));
      // Each step as a column, with its parts in words.
      await expect.poll(() => page.locator(".columns .column").count())
        .toBe(steps);
      const columns = await page.locator(".columns .column title")
        .allTextContents();
      expect(columns.map((column) => plain(column.split("\n")[0]!)))
        .toEqual(waterfall.per_step.map((step) => expect.stringContaining(
          plain(formatTime(step.parts_ns.reduce((a, b) => a + b, 0))))));
      waterfall.per_step.forEach((step, i) => {
        for (const ns of step.parts_ns)
          if (ns > 0) expect(plain(columns[i]!)).toContain(
            plain(formatTime(ns)));
      });
      // Stages: totals of the summary over its steps.
      if (doc.model.length >= 2) {
        const count = Math.max(1, doc.steps.length);
        await same(async () => (await cellsOf(page, "Stages")).map(
          ([stage, , cpu, gpu]) =>
            [stage!.replace(/ ?\*$/, ""), cpu, ...gpu ? [gpu] : []]),
        doc.model.slice(doc.steps.length > 0 ? 1 : 0).map((row) =>
            [lookOf(STAGES, row.name).title, plain(formatTime(near(
              row.cpu.total_ns / count))), ...doc.overview.gpu.length > 0
              ? [plain(formatTime(near(row.gpu.total_ns / count)))] : []]));
      }
      await same(() => cellsOf(page, "Events"),
        [...doc.overview.cpu.filter((row) => !(row.type in STAGES)),
          ...doc.overview.gpu].map((row) => [lookOf(TYPES, row.type).title,
          formatCount(row.calls), plain(formatTime(row.time_ns)),
          plain(formatShare(row.ratio))]));
      await finish(session);
    });

    test.each(names)("overview, cards below: %s", async (name) => {
      const doc = summaryOf(name);
      const session = await show(name, "overview",
        all(declared("user_defined")).replace("cols", "user.cols"));
      const { page } = session;
      const top = (rows: unknown[], key: string) => [...rows].sort((a, b) =>
        Number(valueAt(b, key)) - Number(valueAt(a, key))).slice(0, 7);
      const number = (row: unknown, key: string) =>
        Number(valueAt(row, key));
      if (doc.kernel.length > 0)
        await same(() => lastOf(page, "Kernels"),
          top(doc.kernel, "gpu.total_ns").map((row) =>
            [plain(formatTime(number(row, "gpu.total_ns"))),
              plain(formatShare(number(row, "gpu.ratio"))),
              formatCount(number(row, "calls")),
              valueAt(row, "tensor_core_estimated") ? "TC"
                : valueAt(row, "occupancy") === null ? "–"
                  : plain(formatShare(number(row, "occupancy")))]));
      if (doc.operator.length > 0)
        await same(() => lastOf(page, "Operators"),
          top(doc.operator, "self_cpu_ns").map((row) =>
            [plain(formatTime(number(row, "self_cpu_ns"))),
              plain(formatTime(number(row, "gpu.total_ns"))),
              formatCount(number(row, "calls"))]));
      const gpu = doc.device.some((one) => !one.name.startsWith("CPU"));
      if (gpu) await page.getByText("SM efficiency").first().waitFor();
      const devices = await facts(page, "Devices");
      for (const one of doc.device) {
        const title = one.name === "CPU(Process)" ? "This process"
          : one.name === "CPU(System)" ? "Whole machine" : "Kernels running";
        expect(devices[title]).toBe(one.utilization === null
          ? "not recorded" : plain(formatShare(one.utilization)));
      }
      const ledger = await facts(page, "Ledger");
      expect(ledger["Records read"]).toBe(formatCount(doc.ledger.seen));
      expect(ledger["kept as they are"]).toBe(formatCount(doc.ledger.kept));
      for (const [reason, count] of Object.entries(doc.ledger.rejected))
        expect(ledger[`rejected: ${reason}`]).toBe(formatCount(count));
      for (const [reason, count] of Object.entries(doc.ledger.repaired))
        expect(ledger[`repaired: ${reason}`]).toBe(formatCount(count));
      const perf = doc.benchmark;
      if (perf?.batch_cost) {
        const rows = await cellsOf(page, "Perf summary");
        const costs = [perf.reader_cost, perf.batch_cost]
          .flatMap((cost) => cost ? [[cost.avg_ns, cost.max_ns, cost.min_ns]
            .map((ns) => plain(formatTime(ns)))] : []);
        expect(rows.slice(0, costs.length).map((row) => row.slice(1)))
          .toEqual(costs);
        if (perf.ips) expect(rows.at(-1)!.slice(1)).toEqual(
          [perf.ips.avg, perf.ips.max, perf.ips.min].map((value) =>
            value.toPrecision(4)));
      }
      await expectTable(page, "Your own ranges",
        rowsOfObjects(declared("user_defined"), doc.user_defined));
      await finish(session);
    });

    test.each(names)("operators and shapes: %s", async (name) => {
      const doc = summaryOf(name);
      const byName = await show(name, "operators", all(declared("operator")));
      await expectTable(byName.page, "Operators",
        rowsOfObjects(declared("operator"), doc.operator));
      await finish(byName);
      const table = await flat(name, "operator_shapes");
      const calls = table.columns.findIndex((one) => one.key === "calls");
      if (table.rows.length > 0) {
        // The shapes of an operator are all its calls.
        const launched = doc.operator.filter((row) =>
          valueAt(row, "name") !== "(no launch)");
        expect(sum(table.rows.map((row) => Number(row[calls])))).toBe(
          sum(launched.map((row) => Number(valueAt(row, "calls")))));
      }
      const byShape = await show(name, "operators",
        "by=shape&" + all(table.columns));
      await expectTable(byShape.page, "Operators by shape",
        rowsOfFlat(table));
      await finish(byShape);
    });

    test.each(names)("kernels, launches, copies: %s", async (name) => {
      const doc = summaryOf(name);
      const byName = await show(name, "kernels", all(declared("kernel")));
      await expectTable(byName.page, "Kernels",
        rowsOfObjects(declared("kernel"), doc.kernel));
      const [use] = (await flat(name, "device_use")).rows;
      if (use) {
        const at = declaredAt(await flat(name, "device_use"), "tensor_core");
        await byName.page.getByText(`${formatShare(Number(use[at]))} of`)
          .first().waitFor();
      }
      await finish(byName);
      const table = await flat(name, "kernel_launches");
      const total = declaredAt(table, "gpu.total_ns");
      expect(sum(table.rows.map((row) => Number(row[total])))).toBe(
        sum(doc.kernel.map((row) => Number(valueAt(row, "gpu.total_ns")))));
      const byLaunch = await show(name, "kernels",
        "by=launch&" + all(table.columns));
      await expectTable(byLaunch.page, "Kernels by attributes",
        rowsOfFlat(table));
      await finish(byLaunch);
      const copies = await show(name, "kernels",
        "by=copies&" + all(declared("memory_manipulation")));
      await expectTable(copies.page, "Copies and sets", rowsOfObjects(
        declared("memory_manipulation"), doc.memory_manipulation));
      await finish(copies);
    });

    test.each(names)("memory, each place: %s", async (name) => {
      for (const place of summaryOf(name).memory) await placeOf(name, place);
    });
    async function placeOf(name: string, place: MemoryPlace) {
      const at = `place=${encodeURIComponent(place.place)}&`;
      const owners = await show(name, "memory",
        at + all(inside("memory", "rows")));
      const card = owners.page.getByRole("region",
        { name: placeName(place.place), exact: true });
      const said = plain(await card.innerText());
      expect(said).toContain(plain(
        `peak ${formatBytes(place.peak_allocated_bytes)} allocated`));
      if (place.peak_reserved_bytes) expect(said).toContain(plain(
        `${formatBytes(place.peak_reserved_bytes)} reserved`));
      await expectTable(owners.page, "Memory by operator",
        rowsOfObjects(inside("memory", "rows"), place.rows));
      await finish(owners);
      const live = await show(name, "memory", at + "tab=live&live." +
        all(inside("memory", "live_at_peak")));
      await expectTable(live.page, "Live at the peak",
        rowsOfObjects(inside("memory", "live_at_peak"), place.live_at_peak));
      await finish(live);
      const leaks = await show(name, "memory", at + "tab=leaks&leak." +
        all(inside("memory", "leak_candidates")));
      await expectTable(leaks.page, "Leak candidates", rowsOfObjects(
        inside("memory", "leak_candidates"), place.leak_candidates));
      await finish(leaks);
    }

    test.each(names)("steps, outliers, folded: %s", async (name) => {
      const doc = summaryOf(name);
      const session = await show(name, "steps", all(declared("steps")));
      const { page } = session;
      const period = doc.step_time?.period;
      if (period) for (const [key, ns] of [["shortest", period.min_ns],
        ["p25", period.p25_ns], ["median", period.p50_ns],
        ["p75", period.p75_ns], ["longest", period.max_ns],
        ["mean", period.avg_ns]] as const)
        await same(() => text(page, key), plain(formatTime(ns)));
      await expectTable(page, "Steps",
        rowsOfFlat(await flat(name, "steps")));
      expect((await flat(name, "steps")).rows.length).toBe(doc.steps.length);
      await finish(session);
      const odd = await show(name, "steps",
        "tab=outliers&odd." + all(declared("outliers")));
      await expectTable(odd.page, "Outliers",
        rowsOfFlat(await flat(name, "outliers")));
      await finish(odd);
    });

    test.each(names)("communication: %s", async (name) => {
      const doc = summaryOf(name);
      const { step_ns, communication_ns, computation_ns, overlap_ns } =
        doc.distribution!;
      const table = await flat(name, "overlap_parts");
      const time = declaredAt(table, "time_ns");
      const [computes, both, sends] =
        table.rows.map((row) => Number(row[time]));
      expect([computes! + both!, sends! + both!, both]).toEqual(
        [computation_ns, communication_ns, overlap_ns]);
      expect(sum(table.rows.map((row) => Number(row[time]))))
        .toBeGreaterThanOrEqual(step_ns);
      const session = await show(name, "distributed");
      if (communication_ns === 0) await session.page.getByRole("heading",
        { name: "No communication in this trace" }).waitFor();
      await finish(session);
    });
  });

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
const declaredAt = (table: FlatTable, key: string) =>
  table.columns.findIndex((one) => one.key === key);
/** Halves go to the even neighbour, as in the tool. */
function near(value: number): number {
  const low = Math.floor(value);
  return value - low === 0.5 ? low + (low % 2) : Math.round(value);
}

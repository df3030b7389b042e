// SPDX-License-Identifier: Apache-2.0
//
// Tests of the browser tests: each defect is built into a page, and the test
// that is there for it must fail on that page and pass on the page as it is.
// Waiting for what a defect keeps away is bounded by patience.ts, and the first
// failure ends a run; without both, one defect takes an hour to be told.
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { browserPath } from "../e2e/harness.ts";
import { buildWith, type Defect } from "../planted.ts";

const UI = resolve(import.meta.dirname, "../..");
const VITEST = join(UI, "node_modules/vitest/vitest.mjs");
/** Far more than the page ever takes, far less than the usual patience. */
const PATIENCE_MS = 20_000;

interface Planted extends Defect {
  what: string;
  /** Where the test is that must find it, and its name. */
  in: string;
  found: string;
}

const MADE_UP = "timeline of 'a made-up trace' ";
const PLANTED: Planted[] = [
  { what: "the token stays in the address", file: "api/token.ts",
    from: "history.replaceState(", to: "((..._: unknown[]) => {})(",
    in: "trace.test.ts", found: MADE_UP + "the token leaves the address bar" },
  { what: "a moves right", file: "views/trace/keys.ts",
    from: "controller.pan(-share)", to: "controller.pan(share)",
    in: "trace.test.ts", found: MADE_UP + "w and s zoom" },
  { what: "m does nothing", file: "views/trace/keys.ts",
    from: "case \"m\": controller.mark(); return true;",
    to: "case \"m\": return true;",
    in: "trace.test.ts", found: MADE_UP + "drag pans, zooms, measures" },
  { what: "Escape keeps the selection", file: "views/trace/keys.ts",
    from: "case \"Escape\": controller.clear(); return true;",
    to: "case \"Escape\": return true;",
    in: "trace.test.ts", found: MADE_UP + "f zooms to the selection" },
  { what: "Move up does nothing", file: "views/trace/Gutter.tsx",
    from: "onClick={() => moveUp(row.track)}", to: "onClick={() => {}}",
    in: "controls.test.ts",
    found: "controls of 'a made-up trace' a track moves up" },
  { what: "events are placed as usual rows have them",
    file: "model/layout.ts",
    from: "row.top + lane * row.laneHeight,", to: "row.top + lane * 19,",
    in: "controls.test.ts",
    found: "controls of 'a made-up trace' rows are lower by r" },
  { what: "Cancel is not told to the server", file: "state/trace.ts",
    from: "await api.post(\"cancel\", { t: traceId.value });", to: "",
    in: "controls.test.ts", found: "is cancelled, and opened again" },
  { what: "a button without a name", file: "views/trace/Toolbar.tsx",
    from: "aria-label={MODE_ICONS[mode][1]}", to: "title=\"\"",
    in: "shell.test.ts", found: "axe finds nothing serious: the whole" },
  { what: "PageDown stays", file: "table/Body.tsx",
    from: "case \"PageDown\": moveTo(at + page); break;",
    to: "case \"PageDown\": break;",
    in: "views.test.ts", found: "a row by double click" },
  { what: "a double click does nothing", file: "table/Body.tsx",
    from: "onDblClick={() => line.hasInner && props.toggle(line.id)}",
    to: "onDblClick={() => {}}",
    in: "views.test.ts", found: "a row by double click" },
  { what: "Ctrl+C copies nothing", file: "table/Body.tsx",
    from: "case \"c\":", to: "case \"no\":",
    in: "views.test.ts", found: "a row by double click" },
  { what: "a link of the Overview leads elsewhere",
    file: "views/overview/MemoryCard.tsx",
    from: "view: \"memory\"", to: "view: \"steps\"",
    in: "views.test.ts", found: "the overview's links" },
  { what: "a rank's step shows another rank's threads",
    file: "model/rank_place.ts",
    from: "`^Rank ${step.rank}\\\\b`", to: "`^Rank ${step.rank - 1}\\\\b`",
    in: "views.test.ts", found: "rows of ranks" },
  { what: "the view writes its range over a new address",
    file: "views/trace/controller.ts",
    from: "catchUp();\n      const", to: "const",
    in: "arrival.test.ts", found: "wins over the range of a view" },
  { what: "a key means the event before the one on its way",
    file: "views/trace/controller.ts",
    from: "if (this.awaited === null) run();", to: "run(); if (!this) return;",
    in: "trace.test.ts",
    found: MADE_UP + "a key that comes before the details" },
  { what: "rows of a long table move with the height",
    file: "model/windowing.ts",
    from: "const END = 20_000;", to: "const END = 400;",
    in: "table_rows.test.ts", found: "the end of a million rows" },
];

/** The exit code of the browser tests of that name. */
function run(planted: Planted, dist: string): Promise<{
  code: number | null; output: string;
}> {
  const child = spawn(process.execPath, [VITEST, "run", "--root", UI,
    "--config", join(UI, "vitest.e2e.config.ts"), "--bail", "1",
    "test/e2e/" + planted.in, "-t", planted.found],
  { env: { ...process.env, NO_COLOR: "1", STEPSCOPE_UI_DIST: dist,
    ...dist ? { STEPSCOPE_PATIENCE_MS: String(PATIENCE_MS) } : {} } });
  let output = "";
  child.stdout.on("data", (text: Buffer) => output += text.toString());
  child.stderr.on("data", (text: Buffer) => output += text.toString());
  return new Promise((done) => child.on("exit", (code) =>
    done({ code, output })));
}

describe.skipIf(!existsSync(browserPath))("planted defects", () => {
  test.each(PLANTED)("$what", async (planted) => {
    const dist = await buildWith(planted);
    try {
      const found = await run(planted, dist);
      expect(found.output).toMatch(/Tests .*1 failed/);
      expect(found.code).not.toBe(0);
      const clean = await run(planted, "");
      if (/Tests .*skipped/.test(clean.output) &&
        !/passed/.test(clean.output)) return;  // what it needs is not here
      expect(clean.output).toMatch(/Tests .*passed/);
      expect(clean.code).toBe(0);
    } finally {
      rmSync(dist, { recursive: true, force: true });
    }
  });
});

// SPDX-License-Identifier: Apache-2.0
//
// What the types do not see: the rules of README.md, over all sources.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const files = ["src", "test"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name)))
  .filter((name) => /\.(ts|tsx|mjs|css)$/.test(name) &&
    !name.startsWith("src/generated/"));

// Written in parts, so that this file does not break its own rule.
const FORBIDDEN = [
  "inner" + "HTML", "outer" + "HTML", "dangerously" + "SetInnerHTML",
  "insertAdjacent" + "HTML", "document" + ".write", "setAttribute(" +
  "\"style\"", "new Func" + "tion(", "eva" + "l(",
];

// These plant what the page must never do, to see that it is noticed.
const PLANTS = ["test/e2e/detector.ts", "test/e2e/xss.test.ts"];

function problemsOf(name: string): string[] {
  const text = readFileSync(join(ROOT, name), "utf8");
  const lines = text.split("\n");
  const found: string[] = [];
  if (!lines.slice(0, 2).join("\n").includes("SPDX-License-Identifier"))
    found.push(`${name}: no licence line`);
  if (lines.length > 600) found.push(`${name}: more than 600 lines`);
  lines.forEach((line, n) => {
    const where = `${name}:${n + 1}`;
    const address = line.includes("http") || line.includes("@fontsource");
    if (line.length > 80 && !address) found.push(`${where}: too long`);
    if (line !== line.trimEnd()) found.push(`${where}: blank at the end`);
    for (const word of PLANTS.includes(name) ? [] : FORBIDDEN)
      if (line.includes(word)) found.push(`${where}: ${word}`);
  });
  return found;
}

// Every figure comes from the server: what the page may compute is where things
// are drawn. These files do that, or write numbers as text.
const GEOMETRY = [
  "model/axis", "model/batch_chart", "model/cell", "model/folded",
  "model/format", "model/hit", "model/layout", "model/lru", "model/memory",
  "model/memory_map", "model/records", "model/roofline", "model/sample_tile",
  "model/serving", "model/shares", "model/skyline", "model/tiles",
  "model/veil",
  "model/waterfall", "model/widths", "model/windowing", "table/Body",
  "views/trace/EventList", "views/trace/Minimap", "views/trace/controller",
];
const SHOWS = /^src\/(views|charts|table|model|shell)\//;
// Names of what the server's answers count and measure.
const FIGURE = new RegExp("(^|\\.)(\\w+_(ns|bytes|ratio|count)|ratio|calls|" +
  "counts?|totals?|dur|self|mean|busy|time|events|allocations|frees|seen|" +
  "kept|repaired|rejected|saving\\w*|occupancy\\w*|tensor_core|utilization|" +
  "steps_[ab]|perStep)$");
const OPERATION = /([\w.$]+)[)\]!]*\s([-+*/%])=?\s[(!-]*([\w.$]+)/g;

/** The code of a line, without text in quotes and comments. */
function codeOf(line: string): string {
  return line.replace(/\/\/.*|^\s*\*.*|\/\*.*?\*\//g, "")
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "\"\"")
    .replace(/^[^`]*?`?[^`$]*\$\{|\}[^`]*`/g, (text) =>
      text.includes("`") ? "" : text);
}

function arithmeticOf(text: string, name: string): string[] {
  return text.split("\n").flatMap((line, n) => {
    const code = codeOf(line);
    const where = `${name}:${n + 1}`;
    const found: string[] = [];
    for (const [, left, sign, right] of code.matchAll(OPERATION)) {
      if (sign === "+" && /""/.test(code)) continue;  // joins text
      if (FIGURE.test(left!) || FIGURE.test(right!))
        found.push(`${where}: ${left} ${sign} ${right}`);
    }
    if (/\.reduce\(/.test(code)) found.push(`${where}: reduce`);
    return found;
  });
}

test("arithmetic on figures is noticed", () => {
  for (const line of ["a = row.cpu.total_ns / steps;", "x += bin.count;",
    "const rest = whole_ns - part;", "bins.reduce((a, b) => a + b);",
    "<td>{formatTime(100 * one.ratio)}</td>", "y = (d.time_ns) * 2;"])
    expect(arithmeticOf(line, "f")).toHaveLength(1);
  for (const line of ["// total_ns / steps", 'text = "total_ns / steps";',
    "left = x - width;", "formatTime(row.total_ns)", "rows.length - 1",
    'said = "of " + doc.calls;'])
    expect(arithmeticOf(line, "f")).toEqual([]);
});

test("no view makes a figure", () => {
  const views = files.filter((name) => SHOWS.test(name) &&
    !name.includes(".test.") && !name.endsWith(".css") &&
    !GEOMETRY.some((one) => name.replace(/\.tsx?$/, "") === `src/${one}`));
  expect(views.length).toBeGreaterThan(40);
  expect(views.flatMap((name) =>
    arithmeticOf(readFileSync(join(ROOT, name), "utf8"), name))).toEqual([]);
});

const EXPORT =
  /^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm;

/** Names that a file gives and no other takes. */
function unusedExports(texts: Map<string, string>): string[] {
  return [...texts].flatMap(([name, text]) =>
    [...text.matchAll(EXPORT)].map(([, one]) => one!)
      .filter((one) => ![...texts].some(([other, read]) =>
        other !== name && new RegExp(`\\b${one}\\b`).test(read)))
      .map((one) => `${name}: ${one}`));
}

test("an export that nobody takes is noticed", () => {
  const texts = new Map([["a", "export const x = 1;\nexport type Y = 2;"],
    ["b", "import { x } from \"a\";"]]);
  expect(unusedExports(texts)).toEqual(["a: Y"]);
});

test("every export is taken by another file", () => {
  const texts = new Map(files.filter((name) => !name.endsWith(".css"))
    .map((name) => [name, readFileSync(join(ROOT, name), "utf8")]));
  expect(unusedExports(texts).filter((said) =>
    said.startsWith("src/"))).toEqual([]);
});

/** Classes that a sheet has rules for, by themselves or with others. */
function classesOf(sheet: string): { alone: string[]; named: string[] } {
  const selectors = sheet.replace(/\/\*[^]*?\*\//g, "")
    .match(/[^{};]+(?=\{)/g) ?? [];
  const parts = selectors.flatMap((one) => one.split(","))
    .map((one) => one.trim()).filter((one) => !one.startsWith("@"));
  return { alone: parts.flatMap((one) =>
    /^\.([\w-]+)(:[\w-]+|\[[^\]]*\])*$/.exec(one)?.[1] ?? []),
  named: parts.flatMap((one) =>
    [...one.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!)) };
}

/** What a sheet that comes with a view changes of others. */
function changedBy(late: Map<string, string>,
  others: Map<string, string>): string[] {
  const named = [...late, ...others].map(([name, text]) =>
    ({ name, classes: new Set(classesOf(text).named) }));
  return [...late].flatMap(([name, text]) => classesOf(text).alone
    .flatMap((one) => named.filter((other) =>
      other.name !== name && other.classes.has(one))
      .map((other) => `.${one} of ${name} is in ${other.name}`)));
}

test("a sheet that changes another is noticed", () => {
  const late = new Map([["late", ".a:hover { } .b .c { }"]]);
  expect(changedBy(late, new Map([["first", ".x .a span { }"],
    ["second", ".c { }"]]))).toEqual([".a of late is in first"]);
});

// Sheets of views stay once they have come: from then on, they would draw
// other views as well. base.css has what all share.
test("a sheet of a view has classes of its own", () => {
  const texts = new Map(files.filter((name) => name.endsWith(".css"))
    .map((name) => [name.split("/").pop()!,
      readFileSync(join(ROOT, name), "utf8")]));
  const main = readFileSync(join(ROOT, "src/main.tsx"), "utf8");
  const first = [...texts].filter(([name]) => main.includes(`/${name}"`) &&
    name !== "base.css");
  const late = [...texts].filter(([name]) => !main.includes(`/${name}"`));
  expect(late.length).toBeGreaterThan(3);
  expect(changedBy(new Map(late), new Map(first))).toEqual([]);
});

test("there are sources", () => expect(files.length).toBeGreaterThan(50));
test("no source breaks a rule", () =>
  expect(files.flatMap(problemsOf)).toEqual([]));

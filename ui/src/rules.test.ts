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
  .filter((name) => /\.(ts|tsx|mjs|css)$/.test(name));

// Written in parts, so that this file does not break its own rule.
const FORBIDDEN = [
  "inner" + "HTML", "outer" + "HTML", "dangerously" + "SetInnerHTML",
  "insertAdjacent" + "HTML", "document" + ".write", "setAttribute(" +
  "\"style\"", "new Func" + "tion(", "eva" + "l(",
];

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
    for (const word of FORBIDDEN)
      if (line.includes(word)) found.push(`${where}: ${word}`);
  });
  return found;
}

test("there are sources", () => expect(files.length).toBeGreaterThan(50));
test("no source breaks a rule", () =>
  expect(files.flatMap(problemsOf)).toEqual([]));

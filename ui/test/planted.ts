// SPDX-License-Identifier: Apache-2.0
//
// Builds of the page with a defect in it, to see that a test finds it.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "vite";

export interface Defect {
  /** Below ui/src. */
  file: string;
  /** This text of it, which must be there once, becomes that. */
  from: string;
  to: string;
}

const UI = resolve(import.meta.dirname, "..");

/** The folder with the pages; who asks for it removes it. */
export async function buildWith(defect: Defect): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), "stepscope-planted-"));
  let planted = 0;
  await build({ root: UI, configFile: join(UI, "vite.config.ts"),
    logLevel: "error", build: { outDir, emptyOutDir: true },
    plugins: [{ name: "planted", enforce: "pre",
      transform(code, id) {
        if (!id.split("?")[0]!.endsWith("/src/" + defect.file)) return null;
        const parts = code.split(defect.from);
        if (parts.length !== 2)
          throw new Error(`${defect.file}: "${defect.from}" is there ` +
            `${parts.length - 1} times; change the planted defect with it`);
        planted++;
        return parts.join(defect.to);
      } }] });
  if (planted === 0) throw new Error(`${defect.file}: not part of the page`);
  return outDir;
}

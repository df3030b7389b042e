// SPDX-License-Identifier: Apache-2.0
//
// What axe finds wrong for people who cannot see the page well.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core");

/** The page's policy lets in no script; the test comes by the back. */
export async function seriousViolations(page: Page): Promise<unknown> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Runtime.evaluate",
    { expression: readFileSync(axe, "utf8") });
  const { result } = await cdp.send("Runtime.evaluate", {
    awaitPromise: true, returnByValue: true,
    expression: "axe.run().then(r => r.violations.filter(v => " +
      "v.impact === 'serious' || v.impact === 'critical').map(v => " +
      "v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html + ' ' + " +
      "n.failureSummary).join(' | ')))" });
  return result.value;
}

// SPDX-License-Identifier: Apache-2.0
//
// What axe finds wrong for people who cannot see the page well.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core");

/** Where to look, and by which of axe's rules; all, unless told. */
export interface Look {
  within?: string;
  rules?: string[];
}

/** What axe looks at by itself that depends on colours. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** The page's policy lets in no script; the test comes by the back. */
export async function seriousViolations(page: Page, look: Look = {})
  : Promise<unknown> {
  const cdp = await page.context().newCDPSession(page);
  // Nodes without a fault are not gathered: that is most of axe's time.
  const options = { resultTypes: ["violations"],
    ...look.rules ? { runOnly: { type: "rule", values: look.rules } } : {} };
  const run = `axe.run(${JSON.stringify(look.within ?? "html")}, ` +
    JSON.stringify(options) + ")";
  const there = await cdp.send("Runtime.evaluate",
    { expression: "typeof axe", returnByValue: true });
  if (there.result.value === "undefined")
    await cdp.send("Runtime.evaluate",
      { expression: readFileSync(axe, "utf8") });
  const { result } = await cdp.send("Runtime.evaluate", {
    awaitPromise: true, returnByValue: true,
    expression: run + ".then(r => r.violations.filter(v => " +
      "v.impact === 'serious' || v.impact === 'critical').map(v => " +
      "v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html + ' ' + " +
      "n.failureSummary).join(' | ')))" });
  await cdp.detach();
  return result.value;
}

/**
 * In light and in dark. The second time the elements are the same, and only
 * what depends on colours is looked at again.
 */
export async function seriousInBothThemes(page: Page, within?: string)
  : Promise<unknown[]> {
  const place = within === undefined ? {} : { within };
  const light = await seriousViolations(page, place);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() =>
    document.documentElement.dataset["theme"] === "dark");
  const dark = await seriousViolations(page, { ...place, rules: COLOURS });
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForFunction(() =>
    document.documentElement.dataset["theme"] === "light");
  return [light, dark];
}

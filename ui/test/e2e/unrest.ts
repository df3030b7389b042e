// SPDX-License-Identifier: Apache-2.0
//
// A restless machine, on demand: $STEPSCOPE_UNREST=<seed> lets answers, timers
// and the news of an address come late and out of order, stops the page's main
// thread again and again, and puts a pause before each step of a test. What
// only works because things happen in their usual order shows here.
import type { BrowserContext } from "playwright-core";

const SEED = Number(process.env["STEPSCOPE_UNREST"] ?? 0);

/** Most waits are short and a few are long. Runs in the page, too. */
function makeWaits(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) ** 6 * 600;
  };
}

const nextWait = makeWaits(SEED);
let contexts = 0;

/** Options of the browser: each of its steps waits so long, in ms. */
export const unrestOptions = () =>
  SEED ? { slowMo: Math.round(nextWait() / 6) } : {};

export async function addUnrest(context: BrowserContext): Promise<void> {
  if (!SEED) return;
  await context.route("**/api/v1/**", async (route) => {
    await new Promise((done) => setTimeout(done, nextWait()));
    // The page may have given the request up by now.
    await route.continue().catch(() => {});
  });
  await context.addInitScript(`{
    const next = (${makeWaits})(${SEED + ++contexts});
    const { setTimeout } = window;
    const stall = () => {
      const end = performance.now() + next();
      while (performance.now() < end);
      setTimeout(stall, next());
    };
    stall();
    window.setTimeout = (run, after = 0, ...rest) =>
      setTimeout(run, after + next(), ...rest);
    // The browser may tell of a new address whenever it likes.
    addEventListener("hashchange", (event) => {
      if (!event.isTrusted) return;
      event.stopImmediatePropagation();
      setTimeout(() => dispatchEvent(new HashChangeEvent("hashchange")),
        next());
    }, true);
  }`);
}

// SPDX-License-Identifier: Apache-2.0
//
// The route as a signal, in step with the address bar.
import { batch, signal } from "@preact/signals";
import { formatRoute, parseRoute, type Route } from "../model/route.ts";

export const route = signal<Route>(parseRoute(""));

/**
 * How often an address came from outside: a link that was pasted into this
 * tab, or a step back. What follows the address only once asks for it again.
 */
export const arrivals = signal(0);
/** The last of them was a step in the history, to what this tab has shown. */
export let cameBack = false;

/** What the history keeps beside each address that this page has written. */
const OURS = "stepscope";

/** The address that the route is of. */
let followed = "";

/**
 * Takes over an address that came from outside. The browser tells of it a
 * moment after it stands in the bar: whoever writes there by a timer or when
 * an answer comes asks first, else the new address is written over unread.
 */
export function catchUp(): void {
  if (location.hash === followed) return;
  followed = location.hash;
  // A pasted link has no state of ours.
  cameBack = history.state === OURS;
  batch(() => {
    route.value = parseRoute(followed);
    arrivals.value++;
  });
}

/**
 * Asked later, whether nobody has gone elsewhere since: an answer that comes
 * late must not take people away from where they are now.
 */
export function stillHere(): () => boolean {
  const here = () => {
    const { view, run, worker, window } = route.value;
    return JSON.stringify([arrivals.value, view, run, worker, window]);
  };
  const before = here();
  return () => {
    catchUp();
    return here() === before;
  };
}

export function followAddress(): void {
  followed = location.hash;
  route.value = parseRoute(followed);
  addEventListener("hashchange", catchUp);
}

/**
 * Changes the state. A step that a person would go back over (another view,
 * another trace, a zoom) is kept in the history; the rest replaces the address.
 */
export function navigate(change: Partial<Route>, keep = false): void {
  catchUp();
  const next = { ...route.value, ...change };
  const hash = formatRoute(next);
  if (hash === formatRoute(route.value)) return;
  route.value = next;
  const address = location.pathname + location.search + hash;
  if (keep) history.pushState(OURS, "", address);
  else history.replaceState(OURS, "", address);
  followed = location.hash;
}

/** Sets or, with "", removes one of the view's own settings. */
export function setMore(key: string, value: string): void {
  catchUp();
  const more = { ...route.value.more };
  if (value === "") delete more[key];
  else more[key] = value;
  navigate({ more });
}

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

export function followAddress(): void {
  route.value = parseRoute(location.hash);
  addEventListener("hashchange", () => batch(() => {
    route.value = parseRoute(location.hash);
    arrivals.value++;
  }));
}

/**
 * Changes the state. A step that a person would go back over (another view,
 * another trace) is kept in the history; the rest replaces the address.
 */
export function navigate(change: Partial<Route>, keep = false): void {
  const next = { ...route.value, ...change };
  const hash = formatRoute(next);
  if (hash === formatRoute(route.value)) return;
  route.value = next;
  const address = location.pathname + location.search + hash;
  if (keep) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** Sets or, with "", removes one of the view's own settings. */
export function setMore(key: string, value: string): void {
  const more = { ...route.value.more };
  if (value === "") delete more[key];
  else more[key] = value;
  navigate({ more });
}

// SPDX-License-Identifier: Apache-2.0
//
// What of the links of an event is shown, where that is not all. Pure.

import { formatCount } from "./format.ts";

/** The server lists no more flows (docs/formats/http.md, `event`). */
const LISTED = 100;
/** More arrows would be a blob that hides what they point at. */
export const MOST_ARROWS = 12;

/** The first, the last and some between them, at equal distances. */
export function someOf<T>(list: readonly T[], most = MOST_ARROWS): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, n) =>
    list[Math.round((n * (list.length - 1)) / (most - 1))]!);
}

interface Links {
  launched: { length: number };
  launched_count: number;
  flows: { length: number };
}

/** What is left out below an event's links; "": nothing. */
export function leftOut({ launched, launched_count, flows }: Links,
  arrows: boolean): string {
  const said: string[] = [];
  if (launched.length < launched_count)
    said.push(`${launched.length} of ${formatCount(launched_count)} ` +
      "launches shown.");
  if (flows.length >= LISTED)
    said.push(`The first ${LISTED} flows are shown; there may be more.`);
  if (arrows && Math.max(launched.length, flows.length) > MOST_ARROWS)
    said.push(`Arrows to ${MOST_ARROWS} of them are drawn.`);
  return said.join(" ");
}

// SPDX-License-Identifier: Apache-2.0
//
// What of the links of an event is shown, where that is not all. Pure.

/** The server lists no more of a kind (docs/formats/http.md, `event`). */
const LISTED = 100;
/** More arrows would hide what they point at. */
export const MOST_ARROWS = 50;

/** What an event launched and its flows, as many as the server lists. */
interface Links {
  launched: { length: number };
  flows: { length: number };
}

/** What is left out below an event's links; "": nothing. */
export function leftOut({ launched, flows }: Links, arrows: boolean): string {
  const said: string[] = [];
  for (const [what, list] of
    [["launches", launched], ["flows", flows]] as const) {
    if (list.length >= LISTED)
      said.push(`Only the first ${LISTED} ${what} are known here; there ` +
        "may be more.");
    if (arrows && list.length > MOST_ARROWS)
      said.push(`Arrows: the first ${MOST_ARROWS} of ` +
        `${list.length} ${what}.`);
  }
  return said.join(" ");
}

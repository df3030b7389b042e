// SPDX-License-Identifier: Apache-2.0
//
// The page's one client, and whether the server accepts its token.
import { signal } from "@preact/signals";
import { makeClient } from "../api/client.ts";
import { currentToken, forgetToken } from "../api/token.ts";

export const tokenRefused = signal(false);
/** Nobody answers: what is shown was read before. */
export const serverGone = signal(false);

/** The folder of the page, with a slash at the end. */
export function pageBase(): string {
  return location.origin + location.pathname.replace(/[^/]*$/, "");
}

export const api = makeClient({
  base: pageBase(),
  token: currentToken,
  onUnauthorized() {
    forgetToken();
    tokenRefused.value = true;
  },
});

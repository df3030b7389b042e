// SPDX-License-Identifier: Apache-2.0
//
// The token that the server prints in its address. It arrives in the URL's
// fragment, which no server and no referrer sees; it is kept in localStorage,
// which browsers separate by port (cookies are not), and leaves the address
// bar at once, so that a copied link never carries it. A proxy may put several
// viewers on one port, so it is kept by path.
const SHAPE = /^[0-9a-zA-Z_-]{16,128}$/;

/** Where the token of a page is kept. */
export function tokenKey(pathname: string): string {
  const folder = pathname.slice(0, pathname.lastIndexOf("/") + 1);
  return "stepscope.token" + (folder === "/" ? "" : ":" + folder);
}
const key = () => tokenKey(location.pathname);

/** Splits a fragment into its token, if any, and the rest. */
export function splitToken(hash: string): { token: string; rest: string } {
  const match = /^#token=([^&]*)&?(.*)$/.exec(hash);
  if (!match) return { token: "", rest: hash };
  const token = match[1] ?? "";
  const rest = match[2] ?? "";
  return {
    token: SHAPE.test(token) ? token : "",
    rest: rest === "" || rest.startsWith("#") ? rest : "#" + rest,
  };
}

/**
 * Takes the token out of the address bar; call before the state is read. True:
 * there was one.
 */
export function takeTokenFromAddress(): boolean {
  const { token, rest } = splitToken(location.hash);
  if (rest === location.hash) return false;
  if (token) keepToken(token);
  history.replaceState(null, "", location.pathname + location.search + rest);
  return token !== "";
}

// Storage can be refused (private windows, a notebook's frame); the page then
// lives on memory.
let memory = "";

export function keepToken(token: string): void {
  memory = token;
  try {
    localStorage.setItem(key(), token);
  } catch {
    // The token is in memory: this page works, a new tab asks again.
  }
}

export function currentToken(): string {
  if (memory) return memory;
  try {
    memory = localStorage.getItem(key()) ?? "";
  } catch {
    memory = "";
  }
  return memory;
}

export function forgetToken(): void {
  memory = "";
  try {
    localStorage.removeItem(key());
  } catch {
    // Nothing was kept.
  }
}

/** The token in what a person pasted: an address or the token alone. */
export function tokenInText(text: string): string {
  const trimmed = text.trim();
  const at = trimmed.indexOf("#token=");
  const token = at < 0 ? trimmed : splitToken(trimmed.slice(at)).token;
  return SHAPE.test(token) ? token : "";
}

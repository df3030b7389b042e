// SPDX-License-Identifier: Apache-2.0
//
// What the address bar says: a link shows a colleague the same thing. Pure.
export interface Route {
  view: string;
  run: string;
  worker: string;
  window: string;
  /** Visible time range, ns from the trace's origin; null: the whole. */
  from: number | null;
  to: number | null;
  /** The selected event's row. */
  row: number | null;
  /** The text searched for. */
  query: string;
  /** What a view keeps beside that (sorting, filters, pinned tracks). */
  more: Record<string, string>;
}

export const emptyRoute: Route = {
  view: "", run: "", worker: "", window: "",
  from: null, to: null, row: null, query: "", more: {},
};

/**
 * The change that leads to another trace: what belongs to one trace only goes,
 * but for settings that are of both.
 */
export function otherTrace(
  where: Partial<Pick<Route, "run" | "worker" | "window">>,
  more: Record<string, string> = {}): Partial<Route> {
  return { worker: "", window: "", ...where,
    from: null, to: null, row: null, more };
}

function wholeNumber(text: string | null | undefined): number | null {
  if (text == null || !/^-?\d{1,16}$/.test(text)) return null;
  return Number(text);
}

/** A range of time; null where either end is missing or wrong. */
export function readRange(
  from: string | null | undefined, to: string | null | undefined,
): { from: number; to: number } | null {
  const [a, b] = [wholeNumber(from), wholeNumber(to)];
  return a === null || b === null || a >= b ? null : { from: a, to: b };
}

const OWN = new Set(["run", "worker", "window", "from", "to", "row", "q"]);

/** Reads "#/trace?run=a&from=1"; what is wrong in it is left out. */
export function parseRoute(hash: string): Route {
  const match = /^#?\/?([a-z_-]*)(?:\?(.*))?$/.exec(hash);
  if (!match) return { ...emptyRoute, more: {} };
  const query = new URLSearchParams(match[2] ?? "");
  const more: Record<string, string> = {};
  for (const [key, value] of query) if (!OWN.has(key)) more[key] = value;
  const range = readRange(query.get("from"), query.get("to"));
  return {
    view: match[1] ?? "",
    run: query.get("run") ?? "",
    worker: query.get("worker") ?? "",
    window: query.get("window") ?? "",
    from: range?.from ?? null,
    to: range?.to ?? null,
    row: wholeNumber(query.get("row")),
    query: query.get("q") ?? "",
    more,
  };
}

export function formatRoute(route: Route): string {
  const query = new URLSearchParams();
  const put = (key: string, value: string | number | null) => {
    if (value !== null && value !== "") query.set(key, String(value));
  };
  put("run", route.run);
  put("worker", route.worker);
  put("window", route.window);
  put("from", route.from === null ? null : Math.round(route.from));
  put("to", route.to === null ? null : Math.round(route.to));
  put("row", route.row);
  put("q", route.query);
  for (const key of Object.keys(route.more).sort())
    put(key, route.more[key] ?? "");
  const text = query.toString();
  return "#/" + route.view + (text ? "?" + text : "");
}

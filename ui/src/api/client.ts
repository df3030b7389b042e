// SPDX-License-Identifier: Apache-2.0
//
// Requests to the server. Addresses are relative to the page, so that a proxy
// under a sub-path works. Also used by the timeline's worker, which gets the
// token and the base address by message.
//
// A proxy has a login of its own, which is a cookie or the header
// Authorization: there the token travels in another one. Without a proxy no
// cookie is sent, as those of all other ports of the machine would be.

import type { Answers } from "../generated/answers.ts";

/** What to do where nobody answers. */
export const SERVER_GONE = "The server does not answer. Start " +
  "`stepscope view` again, and open the address that it prints.";

export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Params = Record<
  string,
  string | number | boolean | string[] | null | undefined
>;

type Path = keyof Answers;
export interface Client {
  get<P extends Path>(path: P, params?: Params, signal?: AbortSignal)
    : Promise<Answers[P]>;
  post<P extends Path>(path: P, params?: Params, signal?: AbortSignal)
    : Promise<Answers[P]>;
  /** With a body: of the one request that has one. */
  postBytes<P extends Path>(path: P, params: Params, body: Blob,
    signal?: AbortSignal): Promise<Answers[P]>;
  bytes(path: string, params?: Params, signal?: AbortSignal)
    : Promise<ArrayBuffer>;
  /** Calls `onLine` for each JSON line as it arrives. */
  lines<P extends Path>(path: P, params: Params,
    onLine: (line: Answers[P]) => void, signal?: AbortSignal): Promise<void>;
}

export function queryOf(params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value === null || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value])
      query.append(key, String(one));
  }
  const text = query.toString();
  return text ? "?" + text : "";
}

/** Cuts a stream of text into its lines, whatever the pieces. */
export function lineSplitter(onLine: (line: string) => void) {
  let rest = "";
  return {
    push(text: string) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line) onLine(line);
    },
    end() {
      if (rest) onLine(rest);
      rest = "";
    },
  };
}

async function failureOf(answer: Response): Promise<ApiError> {
  let message = "";
  try {
    message = String((await answer.json()).error ?? "");
  } catch {
    // Not ours: a proxy's page, perhaps.
  }
  return new ApiError(
    answer.status, message || `the server answered ${answer.status}`);
}

/** How a request to a page at `base` carries the token. */
export function credentialsFor(base: string, token: string): {
  headers: Record<string, string>; credentials: RequestCredentials;
} {
  return new URL(base).pathname === "/"
    ? { headers: { Authorization: "Bearer " + token }, credentials: "omit" }
    : { headers: { "Stepscope-Token": token }, credentials: "same-origin" };
}

export function makeClient(options: {
  base: string;
  token: () => string;
  onUnauthorized?: () => void;
}): Client {
  async function send(method: string, path: string, params?: Params,
    signal?: AbortSignal, body?: Blob): Promise<Response> {
    const address = options.base + "api/v1/" + path + queryOf(params);
    let answer: Response;
    try {
      answer = await fetch(address, {
        method,
        ...body ? { body } : {},
        ...credentialsFor(options.base, options.token()),
        signal: signal ?? null,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, SERVER_GONE);
    }
    if (answer.ok) return answer;
    if (answer.status === 401) options.onUnauthorized?.();
    throw await failureOf(answer);
  }
  return {
    get: async (path, params, signal) =>
      (await send("GET", path, params, signal)).json(),
    post: async (path, params, signal) =>
      (await send("POST", path, params, signal)).json(),
    postBytes: async (path, params, body, signal) =>
      (await send("POST", path, params, signal, body)).json(),
    bytes: async (path, params, signal) =>
      (await send("GET", path, params, signal)).arrayBuffer(),
    lines: async (path, params, onLine, signal) => {
      const answer = await send("GET", path, params, signal);
      const reader = answer.body!.pipeThrough(
        new TextDecoderStream()).getReader();
      const lines = lineSplitter((line) => onLine(JSON.parse(line)));
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        lines.push(value);
      }
      lines.end();
    },
  };
}

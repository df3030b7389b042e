// SPDX-License-Identifier: Apache-2.0
//
// A small server with a made-up trace, to work on the page without a build of
// stepscope: `npm run build && npm run mock`. Its headers are the real ones.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import * as answers from "./answers.mjs";
import { makeTrace } from "./trace.mjs";

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript",
  ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };
export const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; " +
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "worker-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; " +
    "trusted-types stepscope",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cache-Control": "no-store",
};
export const TOKEN = "0123456789abcdef".repeat(4);

function runsAnswer() {
  return { stepscope: "0.1.0", folder: "demo", generation: 1, skipped_count: 0,
    skipped: [], runs: [
    { id: "resnet50_amp", name: "resnet50_amp", all: null, workers: [
      { id: "python3-393", name: "python3 · 393", rank: null, host: "",
        pid: 393, windows: [{ t: "demo", name: "steps 0–5", state: "new" },
          { t: "broken", name: "broken", state: "new" }] }] }] };
}

function apiAnswer(trace, path, query) {
  switch (path) {
    case "runs": return runsAnswer();
    case "open": return { state: query.get("t") === "broken"
      ? "failed" : "ready", error: "demo.json: byte 12: not JSON" };
    case "cancel": return { state: "new" };
    case "trace": return trace.info;
    case "names": return { all: true, names: trace.names };
    case "event": return answers.eventAnswer(trace, Number(query.get("row")));
    case "find": return answers.findAnswer(trace, query);
    case "counter": return answers.counterAnswer(trace, query);
    case "idle": return answers.idleAnswer(trace, query);
    case "select": return answers.selectAnswer(trace, query);
    case "flame": return answers.flameAnswer(trace, query);
    case "mark": return { events: 12, busy: 0.5,
      top: [{ name: "aten::add_", events: 7, time: 30000 }] };
    case "critical": return { segments: trace.events
      .filter((e) => e.track === 2).slice(0, 40).map((e) => ({ row: e.row,
        track: 2, depth: 0, start: e.start, dur: e.dur, why: "kernel" })) };
    default: return null;
  }
}

/** The finest level of the preview: 8 µs. */
const PREVIEW_LEVEL = 13;

/** A coarse picture of the trace, before the rest of it can be asked for. */
function previewInfo(info) {
  return { ...info, steps: [], stages: [],
    preview: { read: info.events, events: info.events },
    tracks: info.tracks.filter((track) => track.depth > 0),
    levels: { ...info.levels, min: PREVIEW_LEVEL } };
}

/**
 * What a server answers that has a preview only, until `gate.opened`: true if
 * it was that. `gate.refused` has what should not have been asked for.
 */
function answeredByPreview(trace, gate, path, query, response, json) {
  const preview = query.has("preview");
  if (path === "open" && !gate.isOpen) {
    json(200, { state: "loading", done: 0, total: 100, preview: false });
    return true;
  }
  if (path === "progress") {
    response.writeHead(200, { ...HEADERS,
      "Content-Type": "application/x-ndjson" });
    const line = (value) => response.write(JSON.stringify(value) + "\n");
    line({ state: "loading", stage: "reading", done: 43, total: 100,
      preview: true });
    void gate.opened.then(() => {
      line({ state: "ready", preview: false });
      response.end();
    });
    return true;
  }
  if (path === "trace" && preview) {
    json(200, previewInfo(trace.info));
    return true;
  }
  if (path === "tiles" && preview && Number(query.get("k")) < PREVIEW_LEVEL ||
    !preview && !gate.isOpen && path !== "runs") {
    gate.refused.push(`${path}?${query}`);
    json(409, { error: "only a preview is there yet" });
    return true;
  }
  return false;
}

/** Holds the whole trace back until open() is called. */
export function makeGate() {
  let release = () => {};
  const gate = { isOpen: false, refused: [],
    opened: new Promise((done) => {
      release = done;
    }),
    open: () => {
      gate.isOpen = true;
      release();
    } };
  return gate;
}

async function handle(trace, gate, request, response) {
  const url = new URL(request.url, "http://localhost");
  const send = (status, type, body) => {
    response.writeHead(status, { ...HEADERS, "Content-Type": type });
    response.end(body);
  };
  const json = (status, value) =>
    send(status, "application/json", JSON.stringify(value));
  const api = /^\/api\/v1\/(\w+)$/.exec(url.pathname);
  if (!api) {
    const name = url.pathname === "/" ? "index.html" : url.pathname;
    const file = join(DIST, normalize("/" + name));
    try {
      return send(200, TYPES[extname(file)] ?? "text/plain",
        await readFile(file));
    } catch {
      return json(404, { error: "no such file" });
    }
  }
  if (request.headers.authorization !== "Bearer " + TOKEN)
    return json(401, { error: "the token is missing or wrong" });
  if (api[1] === "changes")
    return void setTimeout(() => json(200, { generation: 1 }), 25_000)
      .unref();
  if (gate && answeredByPreview(trace, gate, api[1], url.searchParams,
    response, json)) return;
  if (api[1] === "tiles")
    return send(200, "application/octet-stream",
      Buffer.from(answers.tilesAnswer(trace, url.searchParams)));
  const answer = apiAnswer(trace, api[1], url.searchParams);
  return answer ? json(200, answer) : json(404, { error: "no such thing" });
}

/**
 * Starts at a free port; ends with close(). `rename` gives names of the trace
 * another text. With a gate there is only a preview until that is open.
 *
 * @param {number} port
 * @param {(name: string) => string} rename
 * @param {ReturnType<typeof makeGate> | null} gate
 */
export async function startMock(port = 0, rename = (name) => name,
  gate = null) {
  const trace = makeTrace();
  trace.names = trace.names.map(rename);
  // About as the server does it: what stands before a list.
  trace.info.short = Object.fromEntries(trace.names
    .map((name) => [name, name.replace(/^void |[<(].*/g, "")])
    .filter(([name, short]) => short && short !== name));
  for (const list of [trace.info.groups, trace.info.tracks])
    for (const one of list) {
      one.name = rename(one.name);
      one.detail = rename(one.detail);
    }
  const server = createServer((request, response) =>
    void handle(trace, gate, request, response));
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/#token=${TOKEN}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    } };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log((await startMock(Number(process.argv[2] ?? 0))).url);

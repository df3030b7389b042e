// SPDX-License-Identifier: Apache-2.0
//
// A few words of WebDriver BiDi, for a Firefox as it comes. Playwright speaks
// it, too, but asks for more than a Firefox of long support knows.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Answer {
  id?: number;
  method?: string;
  result?: Record<string, unknown>;
  params?: Record<string, unknown>;
  error?: string;
  message?: string;
}

export interface FirefoxPage {
  /** Errors of the page and of its console. */
  problems: string[];
  open(url: string): Promise<void>;
  /** Calls a function in the page, which sees nothing of the test. */
  call<T>(run: (given: string) => T | Promise<T>, given?: string): Promise<T>;
  press(key: string): Promise<void>;
  click(x: number, y: number): Promise<void>;
  close(): Promise<void>;
}

/** Sends words and waits for what is said to each. */
class Wire {
  private readonly waiting =
    new Map<number, (answer: Answer) => void>();
  private readonly socket: WebSocket;
  private last = 0;

  constructor(socket: WebSocket, onEvent: (answer: Answer) => void) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id === undefined) return onEvent(answer);
      this.waiting.get(answer.id)?.(answer);
      this.waiting.delete(answer.id);
    });
  }
  async send(method: string, params: object)
    : Promise<Record<string, unknown>> {
    const id = ++this.last;
    const answered = new Promise<Answer>((done) => this.waiting.set(id, done));
    this.socket.send(JSON.stringify({ id, method, params }));
    const answer = await answered;
    if (answer.error) throw new Error(`${method}: ${answer.message}`);
    return answer.result ?? {};
  }
}

async function connect(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address);
  await new Promise<void>((done, fail) => {
    socket.addEventListener("open", () => done());
    socket.addEventListener("error", () => fail(new Error("no connection")));
  });
  return socket;
}

export async function openFirefox(program: string): Promise<FirefoxPage> {
  const profile = mkdtempSync(join(tmpdir(), "stepscope-firefox-"));
  const browser = spawn(program, ["--headless", "--no-remote", "--profile",
    profile, "--remote-debugging-port", "0"],
  { env: { ...process.env, HOME: profile }, stdio: ["ignore", "ignore",
    "pipe"] });
  const ended = new Promise((done) => browser.on("exit", done));
  const address = await new Promise<string>((done, fail) => {
    createInterface({ input: browser.stderr! }).on("line", (line) => {
      const found = /listening on (ws:\/\/\S+)/.exec(line)?.[1];
      if (found) done(found);
    });
    browser.on("exit", (code) => fail(new Error(`Firefox ended: ${code}`)));
  });
  const problems: string[] = [];
  const wire = new Wire(await connect(address + "/session"), (event) => {
    const { level, text } = event.params ?? {};
    if (event.method === "log.entryAdded" && level === "error")
      problems.push(String(text));
  });
  await wire.send("session.new", { capabilities: {} });
  await wire.send("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = await wire.send("browsingContext.getTree", {}) as
    { contexts: { context: string }[] };
  const { context } = contexts[0]!;
  await wire.send("browsingContext.setViewport",
    { context, viewport: { width: 1440, height: 900 } });
  const act = (device: object) =>
    wire.send("input.performActions", { context, actions: [device] });
  return {
    problems,
    open: async (url) => void await wire.send("browsingContext.navigate",
      { context, url, wait: "complete" }),
    call: async (run, given = "") => {
      const { result, exceptionDetails } = await wire.send(
        "script.callFunction", { target: { context }, awaitPromise: true,
          functionDeclaration: `async (given) =>
            JSON.stringify(await (${run.toString()})(given)) ?? "null"`,
          arguments: [{ type: "string", value: given }] }) as {
        result?: { value: string }; exceptionDetails?: { text: string } };
      if (!result) throw new Error(exceptionDetails?.text);
      return JSON.parse(result.value);
    },
    press: async (value) => void await act({ type: "key", id: "keys",
      actions: [{ type: "keyDown", value }, { type: "keyUp", value }] }),
    click: async (x, y) => void await act({ type: "pointer", id: "mouse",
      actions: [{ type: "pointerMove", x, y }, { type: "pointerDown",
        button: 0 }, { type: "pointerUp", button: 0 }] }),
    close: async () => {
      await wire.send("browser.close", {}).catch(() => {});
      browser.kill("SIGTERM");
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

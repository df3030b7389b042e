// SPDX-License-Identifier: Apache-2.0
//
// The page's end of the timeline's worker: it starts it under the one Trusted
// Types policy, and turns questions and answers into promises.
import monoFont from
  "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url";
import sansFont from
  "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";
import { currentToken } from "../../api/token.ts";
import { pageBase } from "../../state/api.ts";
import type {
  FromWorker, HitAnswer, ListedEvent, RendererChoice, Stats, ToWorker,
} from "../../worker/protocol.ts";
import workerUrl from "../../worker/timeline.ts?worker&url";

interface Policy {
  createScriptURL(url: string): string;
}
declare global {
  interface Window {
    trustedTypes?: {
      createPolicy(name: string, rules: Policy): Policy;
    };
  }
}

const rules: Policy = {
  createScriptURL(url) {
    const { origin } = new URL(url, document.baseURI);
    if (origin !== location.origin)
      throw new TypeError(`a worker of another origin: ${origin}`);
    return url;
  },
};
let policy: Policy | null = null;

function trustedUrl(url: string): string {
  policy ??= window.trustedTypes?.createPolicy("stepscope", rules) ?? rules;
  return policy.createScriptURL(url);
}

function rendererChoice(search = location.search): RendererChoice {
  const wanted = new URLSearchParams(search).get("renderer");
  return wanted === "gl" || wanted === "scan" ? wanted : "auto";
}

const absolute = (url: string) => new URL(url, document.baseURI).href;

export interface Canvases {
  boxes: HTMLCanvasElement;
  lines: HTMLCanvasElement;
  map: HTMLCanvasElement | null;
}

export class WorkerLink {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (answer: never) => void>();
  private serial = 0;

  constructor(page: Canvases, onMessage: (message: FromWorker) => void) {
    this.worker = new Worker(trustedUrl(workerUrl), { type: "module" });
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => {
      const message = event.data;
      if ("id" in message) this.resolve(message);
      else onMessage(message);
    };
    const boxes = page.boxes.transferControlToOffscreen();
    const lines = page.lines.transferControlToOffscreen();
    const map = page.map?.transferControlToOffscreen() ?? null;
    this.worker.postMessage({
      type: "init", boxes, lines, map,
      base: pageBase(), token: currentToken(),
      fonts: { sans: absolute(sansFont), mono: absolute(monoFont) },
      renderer: rendererChoice(),
    } satisfies ToWorker, [boxes, lines, ...(map ? [map] : [])]);
  }

  private resolve(message: Extract<FromWorker, { id: number }>): void {
    const done = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    const answer = message.type === "hit" ? message.answer
      : message.type === "list" ? message.events : message.stats;
    done?.(answer as never);
  }

  send(message: ToWorker): void {
    this.worker.postMessage(message);
  }
  private ask<T>(make: (id: number) => ToWorker): Promise<T> {
    const id = ++this.serial;
    return new Promise<T>((done) => {
      this.waiting.set(id, done as (answer: never) => void);
      this.send(make(id));
    });
  }
  hit(x: number, y: number): Promise<HitAnswer> {
    return this.ask((id) => ({ type: "hit", id, x, y }));
  }
  list(track: number, most: number): Promise<ListedEvent[]> {
    return this.ask((id) => ({ type: "list", id, track, most }));
  }
  stats(): Promise<Stats> {
    return this.ask((id) => ({ type: "stats", id }));
  }
  stop(): void {
    this.worker.terminate();
    this.waiting.clear();
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// Counters, why-idle strips, iterations, and what the device did for a chosen
// request: one small answer per track. An answer is wider than the view, so
// that a pan needs none; an old one is drawn until the new one is here.
import type { Client } from "../api/client.ts";
import type {
  CounterSeries, IdleInfo, IterationWork,
} from "../generated/answers.ts";
import type { Range } from "../model/axis.ts";
import { groupOfIterations } from "../model/layout.ts";
import { indexSpots, spotsOf, type SpotIndex } from "../model/serving.ts";

interface Kept extends Range {
  perPixel: number;
  counter?: CounterSeries;
  strip?: IdleInfo;
  spots?: SpotIndex;
  work?: IterationWork;
}
/** Curves are asked for when the view has stood still for so long. */
const STILL_MS = 60;

/** How much wider than the view an answer is, on each side. */
const AIR = 0.75;

/** `track` of the latter two is the number of a request, of an iteration. */
type SeriesKind = "counter" | "idle" | "iterations" | WorkKind;
export type WorkKind = "request" | "iteration";
export interface SeriesWish {
  kind: SeriesKind;
  track: number;
}

export class SeriesStore {
  requests = 0;
  private readonly kept = new Map<string, Kept>();
  private queue: SeriesWish[] = [];
  private view: Range & { width: number } = { t0: 0, t1: 1, width: 1 };
  private busy = false;
  private failed = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly client: Client;
  private readonly t: string;
  private readonly arrived: () => void;

  constructor(client: Client, t: string, arrived: () => void) {
    this.client = client;
    this.t = t;
    this.arrived = arrived;
  }

  get idle(): boolean {
    return !this.busy && this.queue.length === 0;
  }
  counter(track: number): CounterSeries | undefined {
    return this.kept.get(`counter/${track}`)?.counter;
  }
  strip(track: number): IdleInfo | undefined {
    return this.kept.get(`idle/${track}`)?.strip;
  }
  iterations(track: number): SpotIndex | undefined {
    return this.kept.get(`iterations/${track}`)?.spots;
  }
  work(kind: WorkKind, number: number): IterationWork | undefined {
    return this.kept.get(`${kind}/${number}`)?.work;
  }

  private serves(kept: Kept | undefined): boolean {
    if (!kept) return false;
    const perPixel = (this.view.t1 - this.view.t0) / this.view.width;
    const ratio = kept.perPixel / perPixel;
    return kept.t0 <= this.view.t0 && kept.t1 >= this.view.t1 &&
      ratio < 1.5 && ratio > 0.3;
  }

  want(view: Range & { width: number }, tracks: SeriesWish[]): void {
    this.view = view;
    this.queue = tracks.filter((one) =>
      !this.serves(this.kept.get(`${one.kind}/${one.track}`)));
    // Nothing at all to draw is asked for at once.
    const missing = this.queue.some((one) =>
      !this.kept.has(`${one.kind}/${one.track}`));
    clearTimeout(this.timer);
    if (missing) this.next();
    else if (this.queue.length)
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.next();
      }, STILL_MS);
  }

  private next(): void {
    if (this.busy || performance.now() < this.failed) return;
    const one = this.queue.shift();
    if (one) void this.fetch(one.kind, one.track);
  }

  private async fetch(kind: SeriesKind, track: number): Promise<void> {
    const { t0, t1, width } = this.view;
    const air = (t1 - t0) * AIR;
    const asked = { t0: Math.floor(t0 - air), t1: Math.ceil(t1 + air) };
    const px = Math.ceil(width * (1 + 2 * AIR));
    this.busy = true;
    this.requests++;
    try {
      const window = { t: this.t, ...asked, px };
      const kept: Kept = { ...asked, perPixel: (asked.t1 - asked.t0) / px };
      if (kind === "counter")
        kept.counter = await this.client.get("counter", { ...window, track });
      else if (kind === "idle")
        kept.strip = await this.client.get("idle", { ...window, track });
      else if (kind === "iterations")
        kept.spots = indexSpots(spotsOf(await this.client.get("iterations",
          { ...window, group: groupOfIterations(track) })));
      else kept.work = await this.client.get("iteration_work",
        { ...window, [kind]: track });
      this.kept.set(`${kind}/${track}`, kept);
    } catch {
      // The tiles say what is wrong with the server; here it is tried again.
      this.failed = performance.now() + 2000;
    } finally {
      this.busy = false;
    }
    this.arrived();
    this.next();
  }
}

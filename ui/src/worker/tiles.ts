// SPDX-License-Identifier: Apache-2.0
//
// The tiles that are here, and the one request that is on its way. The newest
// view wins: whatever it misses is asked for at once, when the line is free.
import { ApiError, type Client } from "../api/client.ts";
import type { TraceInfo } from "../generated/answers.ts";
import { Lru } from "../model/lru.ts";
import { decodeAnswer, tileBytes, type Tile } from "../model/records.ts";
import {
  askFor, formatTracks, isStale, tileKey, tilesFor, type Ask, type Span,
} from "../model/tiles.ts";

const CACHE_BYTES = 96 * 1024 * 1024;
/** Tracks in one request: a record has one byte for its track. */
const MOST_TRACKS = 200;
const RETRY_MS = 2000;
/** Nothing is fetched ahead before the view has stood still for so long. */
const STILL_MS = 80;

interface TileEvents {
  arrived: () => void;
  failed: (message: string, status: number) => void;
}

export class TileStore {
  requests = 0;
  aborted = 0;
  bytes = 0;
  private readonly where = new Map<string, Tile>();
  private readonly cache: Lru<Tile>;
  private flight: { ask: Ask; stop: AbortController } | null = null;
  private wanted: { span: Span; tracks: number[]; length: number } | null =
    null;
  private retryAt = 0;
  private movedAt = -Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private serial = 0;
  private readonly client: Client;
  private readonly t: string;
  private readonly info: TraceInfo;
  private readonly events: TileEvents;
  /** GL drops its copy of a tile with it. */
  onForget: (tile: Tile) => void = () => {};

  private readonly stillMs: number;

  constructor(client: Client, t: string, info: TraceInfo, events: TileEvents,
    stillMs = STILL_MS, cacheBytes = CACHE_BYTES) {
    this.stillMs = stillMs;
    this.cache = new Lru<Tile>(cacheBytes, (_, tile) => this.forget(tile));
    this.client = client;
    this.t = t;
    this.info = info;
    this.events = events;
  }

  get(track: number, k: number, i: number): Tile | undefined {
    return this.where.get(tileKey(track, k, i));
  }
  has = (track: number, k: number, i: number) =>
    this.where.has(tileKey(track, k, i));
  get idle(): boolean {
    return this.flight === null;
  }
  /** What the tiles take, which is at most what the cache may. */
  get heldBytes(): number {
    return this.cache.bytes;
  }
  touch(tile: Tile): void {
    const key = this.keys.get(tile);
    if (key) this.cache.touch(key);
  }

  /**
   * Says what is seen now, `length` ns of it; asks for what is missing. While
   * the length changes nothing is fetched ahead: a zoom leaves this level.
   */
  want(span: Span, tracks: number[], length = 0): void {
    const before = this.wanted?.span;
    if (!before || before.k !== span.k || before.i0 !== span.i0 ||
      before.i1 !== span.i1 ||
      Math.abs(length - this.wanted!.length) > length * 1e-6)
      this.movedAt = performance.now();
    this.wanted = { span, tracks, length };
    if (this.flight && isStale(this.flight.ask, span) &&
      this.flight.ask.k !== this.info.levels.max) {
      this.aborted++;
      this.flight.stop.abort();
      this.flight = null;
    }
    this.next();
  }

  stop(): void {
    this.wanted = null;
    clearTimeout(this.timer);
    this.flight?.stop.abort();
  }

  private nextAsk(): Ask | null {
    if (!this.wanted) return null;
    const { span, tracks } = this.wanted;
    // Something everywhere first: the coarsest level is a tile or two.
    const coarse = tilesFor({ t0: 0, t1: this.info.span_ns },
      this.info.levels.max, this.info.span_ns);
    const first = coarse.i1 < 4 ? askFor(coarse, tracks, this.has) : null;
    const ask = first ?? askFor(span, tracks, this.has) ?? this.neighbours();
    if (ask && ask.tracks.length > MOST_TRACKS)
      ask.tracks = ask.tracks.slice(0, MOST_TRACKS);
    return ask;
  }

  /** What a pan would need next, once all that is seen is here. */
  private neighbours(): Ask | null {
    const { span, tracks } = this.wanted!;
    const wait = this.movedAt + this.stillMs - performance.now();
    if (wait > 0) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.next(), wait + 1);
      return null;
    }
    const last = tilesFor({ t0: 0, t1: this.info.span_ns }, span.k,
      this.info.span_ns).i1;
    for (const i of [span.i1 + 1, span.i0 - 1]) {
      if (i < 0 || i > last) continue;
      const ask = askFor({ k: span.k, i0: i, i1: i }, tracks, this.has);
      if (ask) return ask;
    }
    return null;
  }

  private next(): void {
    if (this.flight || performance.now() < this.retryAt) return;
    const ask = this.nextAsk();
    if (ask) void this.fetch(ask);
  }

  private async fetch(ask: Ask): Promise<void> {
    const stop = new AbortController();
    const flight = { ask, stop };
    this.flight = flight;
    this.requests++;
    try {
      const buffer = await this.client.bytes("tiles", {
        t: this.t, k: ask.k, i0: ask.i0, i1: ask.i1,
        tracks: formatTracks(ask.tracks),
        ...(this.info.preview ? { preview: 1 } : {}),
      }, stop.signal);
      if (stop.signal.aborted) return;
      this.bytes += buffer.byteLength;
      const sorted = [...ask.tracks].sort((a, b) => a - b);
      for (const tile of decodeAnswer(buffer, sorted).tiles)
        this.add(tile);
    } catch (error) {
      if (stop.signal.aborted) return;
      this.retryAt = performance.now() + RETRY_MS;
      setTimeout(() => this.next(), RETRY_MS + 1);
      this.events.failed(error instanceof Error ? error.message : "",
        error instanceof ApiError ? error.status : 0);
      return;
    } finally {
      if (this.flight === flight) this.flight = null;
    }
    this.events.arrived();
    this.next();
  }

  private readonly keys = new Map<Tile, string>();

  private add(tile: Tile): void {
    const key = String(this.serial++);
    this.keys.set(tile, key);
    for (const track of tile.tracks)
      this.where.set(tileKey(track, tile.k, tile.i), tile);
    this.cache.put(key, tile, tileBytes(tile),
      tile.k === this.info.levels.max);
  }

  private forget(tile: Tile): void {
    this.keys.delete(tile);
    for (const track of tile.tracks) {
      const key = tileKey(track, tile.k, tile.i);
      if (this.where.get(key) === tile) this.where.delete(key);
    }
    this.onForget(tile);
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// The timeline's worker: it fetches, keeps, draws and answers what is under
// the pointer. The page sends views and layouts; it draws no event itself.
import { makeClient } from "../api/client.ts";
import type {
  CriticalSegment, StageInfo, TraceInfo,
} from "../generated/answers.ts";
import { hasTiles, isSeries, type Layout } from "../model/layout.ts";
import { learnShort } from "../model/names.ts";
import type { ThemeName } from "../model/palette.ts";
import type { Chosen } from "../model/serving.ts";
import { indexSteps, type StepIndex } from "../model/steps.ts";
import { ScanBackend, type Backend } from "./backend.ts";
import { columnsAfter, rangeOf, type Columns } from "./columns.ts";
import { GlBackend } from "./gl.ts";
import { drawCurves, indexStages, type Stages } from "./curves.ts";
import { drawOverlay, indexCritical, type CriticalPath } from "./lines.ts";
import { MinimapWindow } from "./minimap.ts";
import { NameStore } from "./names.ts";
import { makeClock, Pacer } from "./pacer.ts";
import { makePaints, type Paints } from "./paints.ts";
import {
  noOverlay, RULER_HEIGHT, type FromWorker, type InitMessage, type Overlay,
  type Stats, type ToWorker, type View,
} from "./protocol.ts";
import { drawWork } from "./iteration_track.ts";
import { indexPath, type PathTrack } from "./path_track.ts";
import { findHit, listEvents, nothing } from "./pointer.ts";
import { backdropOf, drawRuler, rulerTicks } from "./ruler.ts";
import { makeScene, spanOf, visibleTracks, type Scene } from "./scene.ts";
import { SeriesStore, type SeriesWish, type WorkKind } from "./series.ts";
import { TileStore } from "./tiles.ts";

/** Above this many pixels the rasteriser draws at a ratio of 1. */
const MOST_PIXELS = 4_000_000;

/** How often the values of counters in view are sent to the page. */
const RANGES_MS = 120;

const post = (message: FromWorker) => postMessage(message);

class Timeline {
  private readonly lines: OffscreenCanvas;
  private readonly context: OffscreenCanvasRenderingContext2D;
  private readonly map: MinimapWindow | null;
  private readonly scan: ScanBackend;
  private gl: GlBackend | null;
  private backend: Backend;
  private readonly client;
  private info: TraceInfo | null = null;
  private steps: StepIndex = indexSteps([]);
  private stages: Stages = new Map();
  private spans: StageInfo[] = [];
  private tiles: TileStore | null = null;
  private series: SeriesStore | null = null;
  private names: NameStore | null = null;
  private view: View | null = null;
  private layout: Layout = { rows: [], height: 0 };
  private theme: ThemeName = "light";
  private paints: Paints | null = null;
  private overlay: Overlay = noOverlay;
  private critical: CriticalPath = new Map();
  private path: PathTrack = indexPath([]);
  /** Whose work on the device stands out. */
  private chosen: { kind: WorkKind; track: number } | null = null;
  private scene: Scene | null = null;
  private columns: Columns | null = null;
  private readonly pacer = new Pacer(makeClock(), () => this.frame());
  private frames = 0;
  private frameMs = 0;
  private allMs = 0;
  private blanks = 0;
  /** What is to be shown comes after the preview of the same trace. */
  private replaces = false;
  private shown = false;
  private readonly ranges = new Map<number, string>();
  private readonly fresh = new Map<number, { min: number; max: number }>();
  private rangeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(init: InitMessage) {
    this.lines = init.lines;
    this.gl = GlBackend.make(init.boxes, init.renderer);
    // The browser puts canvases on top of each other by the CPU where there is
    // no GPU: one that hides what is below is copied, not blended.
    this.context = init.lines.getContext("2d", { alpha: this.gl !== null })!;
    this.map = init.map && new MinimapWindow(init.map);
    this.scan = new ScanBackend(this.context);
    this.backend = this.gl ?? this.scan;
    if (this.gl) this.watchGl(init);
    this.client = makeClient({ base: init.base, token: () => init.token });
    post({ type: "renderer", name: this.backend.name });
  }

  private watchGl(init: InitMessage): void {
    init.boxes.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.use(this.scan);
    });
    init.boxes.addEventListener("webglcontextrestored", () => {
      this.gl = GlBackend.make(init.boxes, init.renderer);
      this.use(this.gl ?? this.scan);
    });
  }

  private use(backend: Backend): void {
    if (backend === this.backend) return;
    this.backend = backend;
    post({ type: "renderer", name: backend.name });
    this.schedule();
  }

  setTrace(t: string, info: TraceInfo): void {
    this.tiles?.stop();
    this.replaces = this.shown && !!this.info?.preview && !info.preview;
    this.info = info;
    learnShort(info.short);
    this.steps = indexSteps(info.steps);
    this.stages = indexStages([...info.stages ?? [], ...this.spans]);
    this.paints = null;
    this.shown = false;
    this.ranges.clear();
    const redraw = () => this.schedule();
    this.tiles = new TileStore(this.client, t, info, {
      arrived: () => {
        post({ type: "state", loading: !this.tiles!.idle, error: "",
          status: 200 });
        redraw();
      },
      failed: (error, status) =>
        post({ type: "state", loading: false, error, status }),
    });
    this.tiles.onForget = (tile) => this.gl?.forget(tile);
    this.series = new SeriesStore(this.client, t, redraw);
    this.names = new NameStore(this.client, t, redraw, !!info.preview);
    void this.names.start();
    this.ask();
    redraw();
  }
  setView(view: View): void {
    this.view = view;
    this.ask();
    this.schedule();
  }
  setLayout(layout: Layout): void {
    this.layout = layout;
    this.ask();
    this.schedule();
  }
  setTheme(theme: ThemeName): void {
    this.theme = theme;
    this.paints = null;
    this.schedule();
  }
  setOverlay(overlay: Overlay): void {
    this.overlay = overlay;
    this.schedule();
  }
  /** Spans that came from the page, beside the trace's own stages. */
  setSpans(spans: StageInfo[]): void {
    this.spans = spans;
    this.stages = indexStages([...this.info?.stages ?? [], ...spans]);
    this.schedule();
  }
  setCritical(segments: CriticalSegment[]): void {
    this.critical = indexCritical(segments);
    this.path = indexPath(segments);
    this.schedule();
  }

  setChosen({ request, iteration }: Chosen): void {
    this.chosen = request !== null ? { kind: "request", track: request }
      : iteration !== null ? { kind: "iteration", track: iteration } : null;
    this.ask();
    this.schedule();
  }

  private ask(): void {
    const { info, view, tiles, series } = this;
    if (!info || !view || !tiles || !series || view.width < 1) return;
    const rows = visibleTracks(this.layout, view);
    tiles.want(spanOf(view, info.levels, info.span_ns),
      rows.filter((row) => hasTiles(row.kind)).map((row) => row.track),
      view.t1 - view.t0);
    // Curves come with the whole trace.
    if (info.preview) return;
    series.want(view, [...this.chosen ? [this.chosen] : [], ...rows
      .filter((row) => row.strip > 0 || isSeries(row.kind) ||
        row.kind === "iterations")
      .map((row): SeriesWish => ({ track: row.track,
        kind: row.kind === "stream" ? "idle"
          : row.kind === "iterations" ? row.kind : "counter" }))]);
  }

  schedule(): void {
    this.pacer.want();
  }

  /** Device pixels per CSS pixel that are drawn. */
  private ratio(view: View): number {
    const pixels = view.width * view.height * view.ratio ** 2;
    return this.backend.name === "scan" && pixels > MOST_PIXELS
      ? 1 : view.ratio;
  }

  private frame(): void {
    const { info, tiles, series, names } = this;
    if (!info || !this.view || !tiles || !series || !names) return;
    if (this.view.width < 2 || this.view.height < RULER_HEIGHT + 2) return;
    const started = performance.now();
    this.paints ??= makePaints(this.theme, info.classes);
    const ratio = this.ratio(this.view);
    const width = Math.round(this.view.width * ratio);
    const height = Math.round(this.view.height * ratio);
    const columns = columnsAfter(this.columns, this.view, width);
    this.columns = columns;
    const view = { ...this.view, ...rangeOf(columns, width) };
    const scene = makeScene(view, columns, this.layout, tiles, info.levels,
      info.span_ns);
    // Old pixels stay until there is something to put in their place; those of
    // a preview until all of it is.
    if (!this.shown && scene.tracks.length > 0 && (this.replaces
      ? scene.blank > 0
      : scene.tracks.every((track) => track.pieces.length === 0))) return;
    this.shown = true;
    this.scene = scene;
    this.blanks += scene.blank;
    if (this.lines.width !== width || this.lines.height !== height) {
      this.lines.width = width;
      this.lines.height = height;
    }
    this.backend.resize(width, height);
    const { context, paints } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.backend === this.gl)
      context.clearRect(0, 0, view.width, view.height);
    const ticks = rulerTicks(this.steps, view);
    this.backend.draw(scene, paints,
      backdropOf(this.steps, view, columns, ticks, width), ratio,
      this.overlay.name, names);
    drawCurves(context, visibleTracks(this.layout, view), series,
      this.stages, this.path, info, view, paints, this.onRange);
    drawRuler(context, view, ticks, paints);
    const work = this.chosen && series.work(this.chosen.kind,
      this.chosen.track);
    if (work) drawWork(context, scene, paints, work);
    drawOverlay(context, scene, paints, this.overlay, this.critical);
    this.map?.draw(view, info.span_ns, paints);
    names.flush();
    if (this.backend.tooSlow) this.use(this.scan);
    if (this.backend.unfinished) this.schedule();
    this.frames++;
    this.frameMs = performance.now() - started;
    this.allMs += this.frameMs;
  }

  private readonly onRange = (track: number, min: number, max: number) => {
    const key = `${min}/${max}`;
    if (this.ranges.get(track) === key) return;
    this.ranges.set(track, key);
    this.fresh.set(track, { min, max });
    // Text that changes with every frame cannot be read.
    this.rangeTimer ??= setTimeout(() => {
      this.rangeTimer = undefined;
      post({ type: "ranges", ranges: Object.fromEntries(this.fresh) });
      this.fresh.clear();
    }, RANGES_MS);
  };

  hit(id: number, x: number, y: number): void {
    // Always: the page asks again only when it has an answer.
    const answer = this.scene && this.info
      ? findHit(this.scene, x, y, this.info, this.tiles!, this.series!,
        this.stages, this.path, this.names!) : nothing();
    post({ type: "hit", id, answer });
  }
  list(id: number, track: number, most: number): void {
    const events = this.scene
      ? listEvents(this.scene, track, most, this.names!) : [];
    post({ type: "list", id, events });
  }
  stats(id: number): void {
    const stats: Stats = {
      renderer: this.backend.name, frames: this.frames,
      frameMs: this.frameMs,
      spent: { ...this.backend.spent, all: this.allMs },
      requests: (this.tiles?.requests ?? 0) + (this.series?.requests ?? 0),
      tileRequests: this.tiles?.requests ?? 0,
      aborted: this.tiles?.aborted ?? 0, bytes: this.tiles?.bytes ?? 0,
      held: this.tiles?.heldBytes ?? 0,
      boxes: this.backend.boxes, blanks: this.blanks,
      sharp: this.shown && this.scene !== null && !this.pacer.waits &&
        this.scene.coarse === 0 && this.scene.blank === 0,
      idle: (this.tiles?.idle ?? false) && (this.series?.idle ?? false),
    };
    post({ type: "stats", id, stats });
  }
}

let timeline: Timeline | null = null;
let waiting: ToWorker[] = [];

async function start(init: InitMessage): Promise<void> {
  // A family that is used before it is loaded stays on the fallback font.
  const faces = [
    new FontFace("Inter", `url(${init.fonts.sans})`, { weight: "100 900" }),
    new FontFace("JetBrains Mono", `url(${init.fonts.mono})`,
      { weight: "100 800" }),
  ];
  for (const face of faces) self.fonts.add(face);
  await Promise.allSettled(faces.map((face) => face.load()));
  timeline = new Timeline(init);
  for (const message of waiting) receive(message);
  waiting = [];
}

function receive(message: ToWorker): void {
  if (!timeline) {
    waiting.push(message);
    return;
  }
  switch (message.type) {
    case "trace": return timeline.setTrace(message.t, message.info);
    case "view": return timeline.setView(message.view);
    case "layout": return timeline.setLayout(message.layout);
    case "theme": return timeline.setTheme(message.theme);
    case "overlay": return timeline.setOverlay(message.overlay);
    case "critical": return timeline.setCritical(message.segments);
    case "spans": return timeline.setSpans(message.spans);
    case "chosen": return timeline.setChosen(message.chosen);
    case "hit": return timeline.hit(message.id, message.x, message.y);
    case "list": return timeline.list(message.id, message.track, message.most);
    case "stats": return timeline.stats(message.id);
  }
}

onmessage = (event: MessageEvent<ToWorker>) => {
  if (event.data.type === "init") void start(event.data);
  else receive(event.data);
};

// SPDX-License-Identifier: Apache-2.0
//
// What the page and the timeline's worker say to each other. Places are in
// CSS pixels from the canvas's top left; times are ns from the origin.
import type {
  CriticalSegment, StageInfo, TraceInfo,
} from "../generated/answers.ts";
import type { Range } from "../model/axis.ts";
import type { Hit } from "../model/hit.ts";
import type { Layout } from "../model/layout.ts";
import type { ThemeName } from "../model/palette.ts";
import type { Chosen, Spot } from "../model/serving.ts";

export const RULER_HEIGHT = 26;

export type RendererChoice = "auto" | "gl" | "scan";

export interface View extends Range {
  /** The tracks' area, ruler included. */
  width: number;
  height: number;
  /** Pixels scrolled down. */
  scroll: number;
  ratio: number;
}

/** An event's place, drawn whether or not its tile is there. */
export interface Place {
  track: number;
  depth: number;
  start: number;
  dur: number;
}
export interface Arrow {
  from: Place;
  to: Place;
}
export interface Overlay {
  selected: Place | null;
  arrows: Arrow[];
  marks: { t0: number; t1: number; text: string }[];
  measure: Range | null;
  /** The piece of the critical path that is looked at, on its track. */
  piece: Place | null;
  /** A box that is being dragged or is selected. */
  box: { t0: number; t1: number; y0: number; y1: number } | null;
  /** A name whose events stand out; null: none. */
  name: number | null;
  /** Where the pointer is, for the line through all tracks. */
  cursor: number | null;
}
export const noOverlay: Overlay = {
  selected: null, arrows: [], marks: [], measure: null, piece: null,
  box: null,
  name: null, cursor: null,
};

export interface InitMessage {
  type: "init";
  boxes: OffscreenCanvas;
  lines: OffscreenCanvas;
  /** Where the minimap shows which part is seen; null: nowhere. */
  map: OffscreenCanvas | null;
  base: string;
  token: string;
  fonts: { sans: string; mono: string };
  renderer: RendererChoice;
}
export type ToWorker =
  | InitMessage
  | { type: "trace"; t: string; info: TraceInfo }
  | { type: "view"; view: View }
  | { type: "layout"; layout: Layout }
  | { type: "theme"; theme: ThemeName }
  | { type: "overlay"; overlay: Overlay }
  | { type: "critical"; segments: CriticalSegment[] }
  | { type: "spans"; spans: StageInfo[] }
  | { type: "chosen"; chosen: Chosen }
  | { type: "hit"; id: number; x: number; y: number }
  | { type: "list"; id: number; track: number; most: number }
  | { type: "stats"; id: number };

export interface HitAnswer {
  /** The event or mark under the pointer. */
  event: (Hit & { text: string; short: string; className: string }) | null;
  /** A counter's value. */
  value: { track: number; time: number; value: number } | null;
  /** The cause of an idle part. */
  idle: { track: number; start: number; dur: number; cause: number } | null;
  stage: StageInfo | null;
  piece: CriticalSegment | null;
  iteration: Spot | null;
}
export interface ListedEvent {
  row: number;
  text: string;
  start: number;
  end: number;
  count: number;
}
export interface Stats {
  renderer: "gl" | "scan";
  frames: number;
  /** Script time of the last frame, ms. */
  frameMs: number;
  /** Of all frames, in ms: boxes, their way to the canvas, names, and all. */
  spent: { raster: number; copy: number; text: number; all: number };
  requests: number;
  /** Those for tiles alone. */
  tileRequests: number;
  aborted: number;
  bytes: number;
  /** Bytes of the tiles that are kept. */
  held: number;
  boxes: number;
  /** Visible places that had nothing at all to draw. */
  blanks: number;
  /** True when the whole view is drawn at its own level. */
  sharp: boolean;
  idle: boolean;
}
export type FromWorker =
  | { type: "hit"; id: number; answer: HitAnswer }
  | { type: "list"; id: number; events: ListedEvent[] }
  | { type: "stats"; id: number; stats: Stats }
  | { type: "ranges"; ranges: Record<number, { min: number; max: number }> }
  | { type: "state"; loading: boolean; error: string; status: number }
  | { type: "renderer"; name: "gl" | "scan" };

// SPDX-License-Identifier: Apache-2.0
//
// What of the last picture is also in the next one. Pure.
import { columnAt, isSameGrid, type Columns } from "./columns.ts";
import type { Part } from "./lane.ts";
import type { Paints } from "./paints.ts";
import type { Scene, ScenePiece, SceneTrack } from "./scene.ts";

/** A picture of the boxes: all that its pixels depend on. */
export interface Drawn {
  scene: Scene;
  paints: Paints;
  /** The colours of a line that has no box. */
  ground: Uint32Array;
  /** Device pixels per CSS pixel. */
  ratio: number;
  /** The name that stands out. */
  name: number | null;
  width: number;
  height: number;
}
interface Repaint {
  /** A pixel's place in the last picture, less that in the next one. */
  shift: number;
  /** What is painted after the move. */
  parts: Part[];
}

/** How far the next picture is to the right of and below the last one. */
function moved(last: Drawn, next: Drawn): { dx: number; dy: number } | null {
  if (last.paints !== next.paints || last.ratio !== next.ratio ||
    last.name !== next.name || last.width !== next.width ||
    last.height !== next.height || last.scene.layout !== next.scene.layout ||
    !isSameGrid(last.scene.columns, next.scene.columns)) return null;
  const dx = next.scene.columns.first - last.scene.columns.first;
  const dy = (next.scene.view.scroll - last.scene.view.scroll) * next.ratio;
  // Lines that are rounded anew may be elsewhere.
  if (!Number.isInteger(dy) || Math.abs(dx) >= next.width ||
    Math.abs(dy) >= next.height) return null;
  for (let x = Math.max(0, -dx); x < next.width - Math.max(0, dx); x++)
    if (next.ground[x] !== last.ground[x + dx]) return null;
  return { dx, dy };
}

/** The pieces that have columns from x0 to x1 of the grid. */
const within = (pieces: readonly ScenePiece[], columns: Columns, x0: number,
  x1: number) => pieces.filter(({ t0, t1 }) =>
  columnAt(columns, t0) < x1 && columnAt(columns, t1) > x0);

function isSameTrack(last: SceneTrack | undefined, next: SceneTrack,
  columns: Columns, x0: number, x1: number): boolean {
  if (!last) return false;
  const before = within(last.pieces, columns, x0, x1);
  const after = within(next.pieces, columns, x0, x1);
  return before.length === after.length && after.every((piece, n) => {
    const { tile, slot, t0, t1 } = before[n]!;
    return piece.tile === tile && piece.slot === slot && piece.t0 === t0 &&
      piece.t1 === t1;
  });
}

/** The lines of a track, within the picture. */
function linesOf({ row }: SceneTrack, { scene, ratio, height }: Drawn)
  : { y0: number; y1: number } {
  const line = (y: number) => Math.min(height,
    Math.max(0, Math.round((y - scene.view.scroll) * ratio)));
  return { y0: line(row.y), y1: line(row.y + row.height) };
}

export function repaintOf(last: Drawn | null, next: Drawn): Repaint {
  const { width, height, scene } = next;
  const all: Part = { x0: 0, x1: width, y0: 0, y1: height };
  const by = last && moved(last, next);
  if (!by) return { shift: 0, parts: [all] };
  const { dx, dy } = by;
  const parts: Part[] = [];
  // Tracks of which tiles have come or gone are painted anew.
  const tracks =
    new Map(last.scene.tracks.map((track) => [track.row.track, track]));
  const { columns } = scene;
  const x0 = Math.max(columns.first, last.scene.columns.first);
  const x1 = Math.min(columns.first, last.scene.columns.first) + width;
  for (const track of scene.tracks)
    if (!isSameTrack(tracks.get(track.row.track), track, columns, x0, x1))
      parts.push({ ...all, ...linesOf(track, next) });
  // One part is quicker than many.
  if (parts.length * 2 > scene.tracks.length)
    return { shift: 0, parts: [all] };
  if (dx > 0) parts.push({ ...all, x0: width - dx });
  if (dx < 0) parts.push({ ...all, x1: -dx });
  if (dy > 0) parts.push({ ...all, y0: height - dy });
  if (dy < 0) parts.push({ ...all, y1: -dy });
  return { shift: dx + dy * width, parts };
}

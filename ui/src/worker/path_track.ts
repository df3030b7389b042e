// SPDX-License-Identifier: Apache-2.0
//
// The critical path as a track: its pieces side by side, in the colours of
// what they are.
import type { CriticalSegment } from "../generated/answers.ts";
import { PATHS } from "../generated/looks.ts";
import { LABEL_HEIGHT } from "../model/density.ts";
import type { TrackRow } from "../model/layout.ts";
import { shortName } from "../model/names.ts";
import { lookOf } from "../model/palette.ts";
import { SpanIndex } from "../model/spans.ts";
import { LABEL_WIDTH } from "./labels.ts";
import { cssOf, type Paints } from "./paints.ts";
import { RULER_HEIGHT, type View } from "./protocol.ts";
import { BOX_FONT } from "./text.ts";

export type PathTrack = SpanIndex<CriticalSegment>;
export const indexPath = (segments: readonly CriticalSegment[]): PathTrack =>
  new SpanIndex(segments, ({ start, dur }) => ({ start, end: start + dur }));

export function drawPath(context: OffscreenCanvasRenderingContext2D,
  row: TrackRow, path: PathTrack, view: View, paints: Paints): void {
  const y = row.y + row.top - view.scroll + RULER_HEIGHT;
  const named: [string, number, number][] = [];
  const dark = paints.theme === "dark";
  path.seen(view, view.width, 2, (piece, x0, x1) => {
    const { hue } = lookOf(PATHS, piece.category ?? "");
    context.fillStyle = cssOf(hue, paints.theme, dark ? 0.62 : 0.6);
    const wide = x1 - x0 - (x1 - x0 > 3 ? 1 : 0);
    context.fillRect(x0, y, wide, row.boxHeight);
    if (wide >= LABEL_WIDTH && row.boxHeight >= LABEL_HEIGHT)
      named.push([shortName(piece.why), x0, wide]);
  });
  context.font = BOX_FONT;
  context.textBaseline = "middle";
  context.fillStyle = paints.css.text;
  for (const [name, x, wide] of named) {
    context.save();
    context.beginPath();
    context.rect(x, y, wide - 3, row.boxHeight);
    context.clip();
    context.fillText(name, x + 5, y + row.boxHeight / 2 + 0.5);
    context.restore();
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// The flame graph of a box: calls merged by name under their callers. A click
// makes a box the whole width.
import { useSignal } from "@preact/signals";
import type { FlameBox } from "../../generated/answers.ts";
import { CLASSES } from "../../generated/looks.ts";
import { countOf, formatShare } from "../../model/format.ts";
import { shortName } from "../../model/names.ts";
import { cssVar, lookOf } from "../../model/palette.ts";

const ROW = 19;
/** Narrower boxes are left out, as a share of the width. */
const LEAST = 0.0015;

interface Placed extends FlameBox {
  left: number;
  width: number;
}
/** Boxes that are seen when [x0, x1] fills the width. */
function placeFlame(boxes: FlameBox[], x0: number, x1: number)
  : Placed[] {
  const wide = x1 - x0;
  return boxes.map((box) => {
    const left = Math.max(0, (box.x - x0) / wide);
    const right = Math.min(1, (box.x + box.w - x0) / wide);
    return { ...box, left, width: right - left };
  }).filter((box) => box.width >= LEAST);
}

export function FlameGraph({ boxes, classOf }: {
  boxes: FlameBox[];
  classOf: (name: string) => string;
}) {
  const range = useSignal({ x0: 0, x1: 1 });
  const whole = Math.max(1e-12, ...boxes.map((box) => box.x + box.w));
  const { x0, x1 } = range.value;
  const placed = placeFlame(boxes, x0 * whole, x1 * whole);
  const deep = Math.max(0, ...boxes.map((box) => box.depth)) + 1;
  return (
    <div class="flame" aria-label="Flame graph">
      <div style={{ height: `${deep * ROW}px` }}>
        {placed.map((box, n) => (
          <button key={n}
            title={`${box.name}\n${countOf(box.calls, "call")} · ` +
              formatShare(box.w / whole)}
            style={{ left: `${box.left * 100}%`, width: `${box.width * 100}%`,
              top: `${box.depth * ROW}px`,
              background: `color-mix(in srgb, ${cssVar(lookOf(CLASSES,
                classOf(box.name)).hue)} 36%, var(--card))` }}
            onClick={() => {
              const same = box.x / whole === x0 &&
                (box.x + box.w) / whole === x1;
              range.value = same ? { x0: 0, x1: 1 }
                : { x0: box.x / whole, x1: (box.x + box.w) / whole };
            }}>
            {box.width > 0.03 ? shortName(box.name) : ""}
          </button>
        ))}
      </div>
    </div>
  );
}

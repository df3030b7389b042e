// SPDX-License-Identifier: Apache-2.0
//
// A flame graph: calls put together by name under what is around them. A click
// makes a box the whole width and says what it is.
import { useSignal } from "@preact/signals";
import type { FlameBox, FlameInfo } from "../generated/answers.ts";
import { CLASSES } from "../generated/looks.ts";
import {
  flameRow, hasTwoLines, levelsOf, matches, placeFlame,
} from "../model/flame.ts";
import { countOf, formatShare, formatTime } from "../model/format.ts";
import { shortName } from "../model/names.ts";
import { cssVar, lookOf } from "../model/palette.ts";
import { partOf } from "../model/shares.ts";
import { Name } from "../shell/Name.tsx";

function Chosen({ box, whole, onShow, onReset }: {
  box: FlameBox; whole: number;
  onShow: (box: FlameBox) => void; onReset: () => void;
}) {
  return (
    <p class="flame-chosen" role="status">
      <Name text={box.name} short={shortName(box.name)} />
      <span>{formatTime(box.w)}, {formatShare(partOf(box.w, whole))}</span>
      <span class="quiet">own {formatTime(box.self)}</span>
      <span class="quiet">{countOf(box.calls, "call")}</span>
      <button class="link" onClick={() => onShow(box)}>
        Longest call on the timeline →</button>
      <button class="link" onClick={onReset}>Whole graph</button>
    </p>
  );
}

/** Narrower boxes have no room for a name, or for a time; of the width. */
const LEAST_NAMED = 0.03;
const LEAST_TIMED = 0.05;

/** `room`: the height that a graph of few levels fills, in pixels. */
export function FlameGraph({ info, query = "", room = 0, onShow }: {
  info: FlameInfo;
  query?: string;
  room?: number;
  onShow: (box: FlameBox) => void;
}) {
  const { boxes, total } = info;
  const chosen = useSignal<FlameBox | null>(null);
  const box = boxes.includes(chosen.value!) ? chosen.value : null;
  const whole = Math.max(1, total);
  const placed = placeFlame(boxes, box ? box.x : 0, box ? box.w : whole);
  // A chosen box does not change how high the rows are.
  const row = flameRow(levelsOf(placeFlame(boxes, 0, whole)), room);
  return (
    <div class="flame" role="region" aria-label="Flame graph" tabIndex={0}>
      {box && <Chosen box={box} whole={whole} onShow={onShow}
        onReset={() => {
          chosen.value = null;
        }} />}
      <div style={{ height: `${levelsOf(placed) * row}px` }}>
        {placed.map(({ box: one, left, width }, n) => {
          const other = query !== "" && !matches(one.name, query);
          return <button key={n} class={other ? "other" : query && "found"}
            aria-pressed={one === box}
            title={`${one.name}\n${countOf(one.calls, "call")} · ` +
              `${formatTime(one.w)} · ${formatShare(partOf(one.w, whole))}`}
            style={{ left: `${left * 100}%`, width: `${width * 100}%`,
              top: `${one.depth * row}px`, height: `${row - 1}px`,
              background: other ? "var(--soft)" : "color-mix(in srgb, " +
                `${cssVar(lookOf(CLASSES, one.class).hue)} 36%, ` +
                "var(--card))" }}
            onClick={() => {
              chosen.value = one === box ? null : one;
            }}>
            {width > LEAST_NAMED ? shortName(one.name) : ""}
            {width > LEAST_TIMED && hasTwoLines(row) &&
              <small>{formatTime(one.w)}</small>}
          </button>;
        })}
      </div>
    </div>
  );
}

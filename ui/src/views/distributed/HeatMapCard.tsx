// SPDX-License-Identifier: Apache-2.0
//
// Each step of each rank as a colour: a late rank is a line, a slow step a
// column. Drawn on a canvas, so that 512 ranks are one element.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { HeatMap, MeasureInfo } from "../../generated/answers.ts";
import { GROUNDS, HUES } from "../../generated/looks.ts";
import {
  columnText, heatCellAt, movedCell, rowHeight, type HeatCell,
} from "../../model/job.ts";
import { formatTime } from "../../model/format.ts";
import { rgbOf } from "../../model/palette.ts";
import { partOf } from "../../model/shares.ts";
import { useAnswer } from "../../state/load.ts";
import { route, setMore } from "../../state/route.ts";
import { theme } from "../../state/theme.ts";
import { Card, Loaded, Sized } from "../parts.tsx";

const HUE = "communication";
/** What is 0 is seen to have been recorded. */
const LEAST = 0.04;

function paint(canvas: HTMLCanvasElement, map: HeatMap, dark: boolean): void {
  const at = dark ? 1 : 0;
  const [r, g, b] = rgbOf(HUES[HUE][at]);
  const [br, bg, bb] = rgbOf(GROUNDS.card[at]);
  const width = map.first.length;
  const height = map.ranks.length;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(width, height);
  map.cells.forEach((cells, row) => cells.forEach((value, column) => {
    if (value < 0) return;  // not recorded: the ground shows
    // A root tells small values apart.
    const share = Math.max(LEAST, Math.sqrt(partOf(value, map.most)));
    const pixel = (row * width + column) * 4;
    image.data[pixel] = br + (r - br) * share;
    image.data[pixel + 1] = bg + (g - bg) * share;
    image.data[pixel + 2] = bb + (b - bb) * share;
    image.data[pixel + 3] = 255;
  }));
  context.putImageData(image, 0, 0);
}

function Scale({ most }: { most: number }) {
  return (
    <p class="heat-scale quiet" aria-hidden="true">
      <span>{formatTime(0)}</span><i /><span>{formatTime(most)}</span>
      <span class="heat-none" /><span>not recorded</span>
    </p>
  );
}

/** What a cell says, for the eye and the ear. */
function textOf(map: HeatMap, { row, column }: HeatCell, title: string)
  : string {
  const value = map.cells[row]![column]!;
  const longest = map.first[column] === map.last[column] ? ""
    : ", the longest of them";
  return `Rank ${map.ranks[row]}, ${columnText(map, column)}: ` +
    (value < 0 ? "not recorded"
      : `${title.toLowerCase()} ${formatTime(value)}${longest}`);
}

function HeatPlot({ map, title, width, onPick }: {
  map: HeatMap; title: string; width: number;
  onPick: (rank: number, step: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const cell = useSignal<HeatCell | null>(null);
  const dark = theme.value === "dark";
  const each = rowHeight(map.ranks.length);
  useEffect(() => paint(canvas.current!, map, dark), [map, dark]);
  const pick = (one: HeatCell | null) => {
    if (one) onPick(map.ranks[one.row]!, map.first[one.column]!);
  };
  const under = (event: MouseEvent) =>
    heatCellAt(map, width, event.offsetX, event.offsetY);
  const shown = cell.value;
  return (
    <>
      <div class="heat" tabIndex={0} role="application"
        aria-label={`${title}: ${map.ranks.length} ranks by ` +
          `${map.first.length} columns of steps. Arrow keys move, Enter ` +
          "shows the step on the timeline."}
        onKeyDown={(event) => {
          if (event.key === "Enter") return pick(cell.value);
          const next = movedCell(map, cell.value, event.key);
          if (!next) return;
          event.preventDefault();
          cell.value = next;
        }}>
        <div class="heat-map" style={{ width: `${width}px`,
          height: `${each * map.ranks.length}px` }}>
          <canvas ref={canvas} onMouseMove={(event) => {
            cell.value = under(event);
          }} onMouseLeave={() => {
            cell.value = null;
          }} onClick={(event) => pick(under(event))} />
          {shown && <i class="heat-mark" style={{
            top: `${shown.row * each}px`, height: `${each}px`,
            left: `${(shown.column / map.first.length) * width}px`,
            width: `${Math.max(2, width / map.first.length)}px` }} />}
        </div>
      </div>
      <div class="heat-foot">
        <p role="status">{shown ? textOf(map, shown, title)
          : `Ranks ${map.ranks[0]} ${map.ranks.length > 2 ? "to" : "and"} ` +
            `${map.ranks.at(-1)} from the top; ` +
            "steps from the left. A click shows the step on the timeline."}</p>
        <Scale most={map.most} />
      </div>
    </>
  );
}

export function HeatMapCard({ t, measures, onPick }: {
  t: string; measures: MeasureInfo[];
  onPick: (rank: number, step: number) => void;
}) {
  const wanted = route.value.more["measure"] ?? "delays_ns";
  const measure = measures.find((one) => one.key === wanted) ?? measures[0]!;
  const load = useAnswer("heat", { t, measure: measure.key });
  return (
    <Card title="Every step of every rank" detail={measure.meaning}
      class="heat-card" actions={
        <label class="field"><span class="quiet">Colour</span>
          <select aria-label="Colour" value={measure.key} onChange={(event) =>
            setMore("measure", event.currentTarget.value)}>
            {measures.map((one) => (
              <option key={one.key} value={one.key}>{one.title}</option>
            ))}
          </select></label>}>
      <Loaded what="The steps of the ranks" load={load}>
        {(map) => map.first.length === 0
          ? <p class="nothing">No step of a rank was recorded.</p>
          : <Sized height={Math.min(620,
            rowHeight(map.ranks.length) * map.ranks.length) + 46}>
            {(width) => <HeatPlot map={map} title={measure.title}
              width={width} onPick={onPick} />}
          </Sized>}
      </Loaded>
    </Card>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// Requests in the batch and tokens per iteration over time, by kind. Drawn on
// a canvas, so that a thousand iterations are one element.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import {
  ticksOf, timeToX, xToTime, zoomAt, type Range,
} from "../../model/axis.ts";
import {
  CHART_HEIGHT, drawBatch, lanesOf, middleOf, sized, stepSpot, type Lane,
} from "../../model/batch_chart.ts";
import { formatCount, formatTick } from "../../model/format.ts";
import {
  hasIteration, indexSpots, spotText, type Spot,
} from "../../model/serving.ts";
import { theme } from "../../state/theme.ts";
import { trace } from "../../state/trace.ts";

const STATUS_HEIGHT = 24;
/** A time that has less room is left out. */
const LABEL_WIDTH = 44;
export const BATCH_HEIGHT = CHART_HEIGHT + STATUS_HEIGHT;
/** Beside the charts, as wide as the names of requests: serving.css. */
const NAMES_WIDTH = 176;
/** A press that moves less is a click. */
const CLICK_PX = 4;
const WHEEL_ZOOM = 0.0022;

function Names({ lanes }: { lanes: Lane[] }) {
  return (
    <div class="batch-names" aria-hidden="true"
      style={{ width: `${NAMES_WIDTH}px` }}>
      {lanes.map((lane) => (
        <div key={lane.key}>
          <span class="title" style={{ top: `${lane.top}px` }}>
            {lane.title}</span>
          {lane.ticks.map(({ value, y }) => (
            <small key={value} style={{ top: `${y}px` }}>
              {formatCount(value)}</small>
          ))}
        </div>
      ))}
    </div>
  );
}

function Ruler({ range, width }: { range: Range; width: number }) {
  const { step, times } = ticksOf(range, width);
  return (
    <div class="batch-ruler" aria-hidden="true">
      {times.filter((time) =>
        timeToX(range, width, time) < width - LABEL_WIDTH).map((time) => (
        <span key={time} style={{ left: `${timeToX(range, width, time)}px` }}>
          {formatTick(time, step)}</span>
      ))}
    </div>
  );
}

interface BatchProps {
  spots: Spot[];
  range: Range;
  width: number;
  total: number;
  faded: boolean;
  /** The chosen one; null: none. */
  iteration: number | null;
  onZoom: (range: Range) => void;
  onWhole: () => void;
  onPick: (iteration: number) => void;
}

export function BatchChart(props: BatchProps) {
  const { spots, range, faded, iteration } = props;
  const width = Math.max(1, props.width - NAMES_WIDTH);
  const canvas = useRef<HTMLCanvasElement>(null);
  const index = useMemo(() => indexSpots(spots), [spots]);
  const lanes = useMemo(() => lanesOf(spots), [spots]);
  /** The number of the one under the pointer, or that keys have reached. */
  const at = useSignal<number | null>(null);
  const drag = useSignal<{ from: number; to: number } | null>(null);
  useEffect(() => {
    drawBatch(sized(canvas.current!, width), { spots: index, lanes, range,
      width, faded, theme: theme.value });
  }, [index, lanes, range.t0, range.t1, width, faded, theme.value]);

  const spotOf = (number: number | null) => number === null ? undefined
    : spots.find((one) => hasIteration(one, number));
  const xOf = (event: MouseEvent & { currentTarget: HTMLElement }) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const pick = (spot: Spot | undefined | null) => {
    if (!spot) return;
    if (spot.count === 1) return props.onPick(spot.first);
    // Several share a pixel: come nearer until they are apart.
    const air = (spot.end - spot.start) * 0.05;
    props.onZoom({ t0: spot.start - air, t1: spot.end + air });
  };
  const zoom = (factor: number, anchor: number) =>
    props.onZoom(zoomAt(range, factor, anchor, trace.value!.info.span_ns));
  const down = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.value = { from: xOf(event), to: xOf(event) };
  };
  const move = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const x = xOf(event);
    at.value = index.at(xToTime(range, width, x))?.first ?? null;
    if (drag.value) drag.value = { ...drag.value, to: x };
  };
  const up = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const now = drag.value;
    drag.value = null;
    if (!now) return;
    const [a, b] = [now.from, now.to].sort((x, y) => x - y) as [number, number];
    if (b - a > CLICK_PX)
      props.onZoom({ t0: xToTime(range, width, a),
        t1: xToTime(range, width, b) });
    else pick(index.at(xToTime(range, width, xOf(event))));
  };
  const onKey = (event: KeyboardEvent) => {
    const spot = spotOf(at.value);
    const middle = spot ? (spot.start + spot.end) / 2
      : (range.t0 + range.t1) / 2;
    switch (event.key) {
      case "ArrowRight": case "ArrowLeft":
        at.value = stepSpot(spots, range, at.value ?? iteration,
          event.key === "ArrowRight" ? 1 : -1)?.first ?? null;
        break;
      case "Enter": pick(spot); break;
      case "+": case "=": zoom(0.5, middle); break;
      case "-": zoom(2, middle); break;
      case "Home": props.onWhole(); break;
      default: return;
    }
    event.preventDefault();
  };
  const shown = spotOf(at.value);
  const marked = shown ?? spotOf(iteration);
  return (
    <div class="batch">
      <Names lanes={lanes} />
      <div class="batch-plot" tabIndex={0} role="application"
        aria-label={`${formatCount(props.total)} iterations over time. Left ` +
          "and right move along them, Enter chooses one, plus and minus " +
          "zoom, Home shows all."}
        onKeyDown={onKey} onPointerDown={down} onPointerMove={move}
        onPointerUp={up} onPointerCancel={() => {
          drag.value = null;
        }} onPointerLeave={() => {
          at.value = null;
        }} onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          zoom(Math.exp(event.deltaY * WHEEL_ZOOM),
            xToTime(range, width, xOf(event)));
        }}
        style={{ height: `${CHART_HEIGHT}px`, width: `${width}px` }}>
        <Ruler range={range} width={width} />
        <canvas ref={canvas} aria-hidden="true" />
        {marked && <i class="batch-mark" style={{
          left: `${middleOf(marked, range, width)}px` }} />}
        {drag.value && <i class="batch-drag" style={{
          left: `${Math.min(drag.value.from, drag.value.to)}px`,
          width: `${Math.abs(drag.value.to - drag.value.from)}px` }} />}
      </div>
      <p class="batch-status quiet" role="status">{shown ? spotText(shown)
        : "Click an iteration, or drag over a stretch of time to zoom."}</p>
    </div>
  );
}

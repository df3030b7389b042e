// SPDX-License-Identifier: Apache-2.0
//
// The whole trace in 50 pixels: how busy the device is (where there is none,
// the host), the steps with their times, and which part is seen. Drag to move
// it.
import type { Ref } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { computed, useSignal } from "@preact/signals";
import type {
  CounterSeries, StepInfo, TraceInfo,
} from "../../generated/answers.ts";
import { endOfEvents, timeToX, wholeRange, xToTime } from "../../model/axis.ts";
import {
  busySource, busyTitle, type BusySource,
} from "../../model/busy_source.ts";
import { drawStrip } from "../../model/batch_chart.ts";
import { countOf, formatTime } from "../../model/format.ts";
import { hueOf } from "../../model/palette.ts";
import { indexSteps, stepLabels } from "../../model/steps.ts";
import { decodeAnswer } from "../../model/records.ts";
import { indexSpots, spotsOf } from "../../model/serving.ts";
import { skyline } from "../../model/skyline.ts";
import { api } from "../../state/api.ts";
import { useAnswer } from "../../state/load.ts";
import { serves } from "../../state/serving.ts";
import { theme } from "../../state/theme.ts";
import { trace } from "../../state/trace.ts";
import type { Controller } from "./controller.ts";
import * as s from "./store.ts";

const HEIGHT = 50;
const CURVE_TOP = 20;
const BUCKETS = 1600;

type Bars = Pick<CounterSeries, "t" | "last" | "max">;

/** A curve that the server has. */
function useCurve(t: string, info: TraceInfo | undefined,
  source: BusySource): Bars | null {
  const whole = { t, t0: 0, t1: info?.span_ns ?? 1, px: BUCKETS };
  const device = source.of === "device" ? source.track : null;
  const host = source.of === "host";
  const series = useAnswer(host ? "host_busy" : "counter",
    host ? whole : device === null ? null : { ...whole, track: device });
  return series.state === "ready" ? series.value : null;
}

/** Without a curve, the boxes of some streams. */
function useSkyline(t: string, info: TraceInfo | undefined,
  source: BusySource): Bars | null {
  const bars = useSignal<Bars | null>(null);
  const streams = source.of === "streams" ? source.tracks : [];
  useEffect(() => {
    if (!info || streams.length === 0) return;
    const stop = new AbortController();
    // One level below the coarsest: at most two tiles, 1,024 buckets or more.
    const k = Math.max(info.levels.min, info.levels.max - 1);
    api.bytes("tiles", { t, k, i0: 0, i1: 1, tracks: streams.join(","),
      ...(info.preview ? { preview: 1 } : {}) },
      stop.signal).then((bytes) => {
      bars.value = skyline(decodeAnswer(bytes, streams).tiles, k);
    }, () => {});
    return () => stop.abort();
  }, [t, info?.preview != null]);
  return bars.value;
}

function drawCurve(canvas: HTMLCanvasElement, series: Bars,
  width: number, span: number, colour: string): void {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  context.fillStyle = colour;
  const range = wholeRange(span);
  const most = Math.max(1e-9, ...series.max.map((one) => one ?? 0));
  const room = HEIGHT - CURVE_TOP - 3;
  for (let n = 0; n < series.t.length; n++) {
    const x = timeToX(range, width, series.t[n]!);
    const next = n + 1 < series.t.length
      ? timeToX(range, width, series.t[n + 1]!) : x + 1;
    const high = ((series.last[n] ?? 0) / most) * room;
    context.fillRect(x, HEIGHT - 2 - high, Math.max(0.5, next - x), high);
  }
}

/** Iterations of a server where no steps are: what they would stand in. */
const STRIP = { top: 4, height: 9 };

/** The start of the step that fills the view; a view within it moves often. */
const steps = computed(() => indexSteps(trace.value?.info.steps ?? []));
const stepInView = computed(() =>
  steps.value.around(s.range.value)?.start ?? -1);

function Steps({ steps, span, width }: {
  steps: StepInfo[];
  span: number;
  width: number;
}) {
  const range = wholeRange(span);
  const around = stepInView.value;
  return (
    <>
      {stepLabels(steps, range, width).map((label) => {
        const current = label.step.start === around;
        return (
          <div key={label.step.start}
            class={"step" + (label.step.warmup ? " warmup" : "") +
              (current ? " current" : "")}
            title={`step ${label.step.index}` +
              (label.step.warmup ? ", warm-up" : "") + ": " +
              formatTime(label.step.dur)}
            style={{ left: `${label.x}px`, width: `${label.width}px` }}>
            {label.text && <span>step {label.step.index}</span>}
            {label.text === "long" &&
              <span class="quiet">{label.step.warmup ? "warm-up "
                : ""}{formatTime(label.step.dur)}</span>}
          </div>
        );
      })}
    </>
  );
}

/** What was recorded after the last event: the view begins without it. */
function AfterEvents({ info, width }: { info: TraceInfo; width: number }) {
  const end = endOfEvents(info);
  if (end === null) return null;
  const x = timeToX(wholeRange(info.span_ns), width, end);
  const more = formatTime(info.span_ns - end);
  const text = `${more} more, nothing runs`;
  return (
    <div class="after-events" title={`Recording went on for ${more} after ` +
      "the last event that takes time. Whole trace, again, shows it"}
      style={{ left: `${x}px` }}><span class="quiet">{text}</span></div>
  );
}

export function Minimap({ controller, seen }: {
  controller: Controller | null;
  /** Where the worker draws which part is seen. */
  seen: Ref<HTMLCanvasElement>;
}) {
  const open = trace.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const t = open?.t ?? "";
  const source = useMemo<BusySource>(() =>
    open ? busySource(open.info) : { of: "nothing" }, [open?.info]);
  const curve = useCurve(t, open?.info, source);
  const boxes = useSkyline(t, open?.info, source);
  const iterations = useAnswer("iterations",
    open && serves.value && open.info.steps.length === 0
      ? { t, t0: 0, t1: open.info.span_ns, px: BUCKETS } : null);
  const spots = iterations.state === "ready" ? iterations.value : null;
  const { width } = s.plotSize.value;
  const span = open?.info.span_ns ?? 1;
  useEffect(() => {
    const bars = curve ?? boxes;
    if (!canvas.current || !bars || width <= 0) return;
    drawCurve(canvas.current, bars, width, span,
      hueOf(source.of === "host" ? "operator" : "kernel", theme.value));
    if (spots)
      drawStrip(canvas.current.getContext("2d")!, indexSpots(spotsOf(spots)),
        wholeRange(span), width, STRIP, theme.value);
  }, [curve, boxes, spots, width, span, theme.value]);
  if (!open) return null;
  const go = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const { t0, t1 } = s.range.value;
    const rect = event.currentTarget.getBoundingClientRect();
    const time = xToTime(wholeRange(span), width, event.clientX - rect.left);
    const half = (t1 - t0) / 2;
    controller?.setRange({ t0: time - half, t1: time + half });
  };
  return (
    <div class="minimap">
      <div class="minimap-head">
        <span>{busyTitle(source)}</span>
        <span class="quiet">{open.info.events === 0 ? "no events"
          : `${formatTime(span)} · ${countOf(open.info.events, "event")}`}
        </span>
      </div>
      <div class="minimap-plot"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          go(event);
        }}
        onPointerMove={(event) => {
          if (event.buttons & 1) go(event);
        }}>
        <canvas ref={canvas} aria-hidden="true" />
        <Steps steps={open.info.steps} span={span} width={width} />
        <AfterEvents info={open.info} width={width} />
        <canvas class="seen" ref={seen} aria-hidden="true" />
      </div>
    </div>
  );
}

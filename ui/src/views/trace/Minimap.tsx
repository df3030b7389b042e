// SPDX-License-Identifier: Apache-2.0
//
// The whole trace in 50 pixels: how busy the device is, the steps with their
// times, and which part is seen. Drag to move it.
import { useEffect, useRef } from "preact/hooks";
import type { CounterSeries, StepInfo } from "../../api/types.ts";
import { timeToX, wholeRange, xToTime } from "../../model/axis.ts";
import { formatCount, formatTime } from "../../model/format.ts";
import { classColours } from "../../model/palette.ts";
import { stepLabels } from "../../model/steps.ts";
import { useAnswer } from "../../state/load.ts";
import { theme } from "../../state/theme.ts";
import { trace } from "../../state/trace.ts";
import type { Controller } from "./controller.ts";
import * as s from "./store.ts";

const HEIGHT = 50;
const CURVE_TOP = 20;
const BUCKETS = 1600;

function drawCurve(canvas: HTMLCanvasElement, series: CounterSeries,
  width: number, span: number, colour: string): void {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  context.fillStyle = colour;
  const range = wholeRange(span);
  const most = Math.max(1e-9, ...series.max);
  const room = HEIGHT - CURVE_TOP - 3;
  for (let n = 0; n < series.t.length; n++) {
    const x = timeToX(range, width, series.t[n]!);
    const next = n + 1 < series.t.length
      ? timeToX(range, width, series.t[n + 1]!) : x + 1;
    const high = (series.last[n]! / most) * room;
    context.fillRect(x, HEIGHT - 2 - high, Math.max(0.5, next - x), high);
  }
}

function Steps({ steps, span, width }: {
  steps: StepInfo[];
  span: number;
  width: number;
}) {
  const range = wholeRange(span);
  const { t0, t1 } = s.range.value;
  return (
    <>
      {stepLabels(steps, range, width).map((label) => {
        const current = label.step.start <= t0 && label.step.end >= t1;
        return (
          <div key={label.step.start}
            class={"step" + (label.step.warmup ? " warmup" : "") +
              (current ? " current" : "")}
            title={`step ${label.step.index}` +
              (label.step.warmup ? ", warm-up" : "") + ": " +
              formatTime(label.step.end - label.step.start)}
            style={{ left: `${label.x}px`, width: `${label.width}px` }}>
            {label.text && <span>step {label.step.index}</span>}
            {label.text === "long" &&
              <span class="quiet">{label.step.warmup ? "warm-up "
                : ""}{formatTime(label.step.end - label.step.start)}</span>}
          </div>
        );
      })}
    </>
  );
}

function Window({ span, width }: { span: number; width: number }) {
  const { t0, t1 } = s.range.value;
  const whole = wholeRange(span);
  const left = Math.max(0, timeToX(whole, width, t0));
  const right = Math.min(width, timeToX(whole, width, t1));
  return <div class="window" style={{ left: `${left}px`,
    width: `${Math.max(5, right - left)}px` }} />;
}

export function Minimap({ controller }: { controller: Controller | null }) {
  const open = trace.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const busy = open?.info.tracks.find((track) => track.kind === "busy");
  const series = useAnswer<CounterSeries>("counter", open && busy
    ? { t: open.t, track: busy.id, t0: 0, t1: open.info.span_ns, px: BUCKETS }
    : null);
  const { width } = s.plotSize.value;
  const span = open?.info.span_ns ?? 1;
  useEffect(() => {
    if (canvas.current && series.state === "ready" && width > 0)
      drawCurve(canvas.current, series.value, width, span,
        classColours(theme.value)["kernel"]!);
  }, [series, width, span, theme.value]);
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
        <span>{busy ? "GPU busy, whole window" : "Whole window"}</span>
        <span class="quiet">{formatTime(span)} ·{" "}
          {formatCount(open.info.events)} events</span>
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
        <Window span={span} width={width} />
      </div>
    </div>
  );
}

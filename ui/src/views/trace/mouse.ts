// SPDX-License-Identifier: Apache-2.0
//
// The mouse on the timeline: click, drag by mode, wheel, double click.
import { xToTime } from "../../model/axis.ts";
import { hasTiles } from "../../model/layout.ts";
import { sidewaysOf } from "../../model/wheel.ts";
import { RULER_HEIGHT } from "../../worker/protocol.ts";
import type { Controller } from "./controller.ts";
import { isPreview } from "../../state/trace.ts";
import * as s from "./store.ts";

/** A press that moves less is a click. */
const CLICK_PX = 4;
const WHEEL_ZOOM = 0.0022;
const WHEEL_LINE = 18;

interface Pointer {
  /** The time under the pointer, while it is on the plot. */
  time: () => number | undefined;
  stop: () => void;
}

export function watchMouse(plot: HTMLElement, scroller: HTMLElement,
  controller: Controller): Pointer {
  let at: { x: number; y: number } | null = null;
  let hoverWaits = false;

  const place = (event: MouseEvent) => {
    const rect = plot.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  };
  const timeAt = (x: number) =>
    xToTime(s.range.value, s.plotSize.value.width, x);
  const rowY = (y: number) =>
    Math.max(0, y - RULER_HEIGHT) + s.scroll.value;

  const askHover = async () => {
    if (hoverWaits || !at) return;
    hoverWaits = true;
    const asked = at;
    const answer = await controller.link.hit(asked.x, asked.y);
    hoverWaits = false;
    if (!at) return;
    const any = answer.event ?? answer.value ?? answer.idle ??
      answer.stage ?? answer.piece ?? answer.iteration;
    s.hover.value = any ? { ...at, answer } : null;
    if (at.x !== asked.x || at.y !== asked.y) void askHover();
  };

  const finish = (from: { x: number; y: number },
    to: { x: number; y: number }) => {
    const t0 = timeAt(Math.min(from.x, to.x));
    const t1 = timeAt(Math.max(from.x, to.x));
    if (s.mode.value === "zoom") {
      s.measure.value = null;
      controller.setRange({ t0, t1 });
    } else if (s.mode.value === "select") {
      const rect = s.dragged.value;
      s.dragged.value = null;
      if (!rect) return;
      const tracks = s.layout.value.rows
        .filter((row) => row.type === "track")
        .filter((row) => row.y < rect.y1 && row.y + row.height > rect.y0 &&
          hasTiles(row.kind))
        .map((row) => row.track);
      controller.selectBox(tracks.length ? { t0, t1, tracks } : null);
    }
  };

  const drag = (from: { x: number; y: number }, event: PointerEvent) => {
    const to = place(event);
    const times = { t0: timeAt(Math.min(from.x, to.x)),
      t1: timeAt(Math.max(from.x, to.x)) };
    if (s.mode.value === "measure" || s.mode.value === "zoom")
      s.measure.value = times;
    else if (s.mode.value === "select") {
      const [y0, y1] = [rowY(from.y), rowY(to.y)].sort((a, b) => a - b);
      s.dragged.value = { ...times, y0: y0!, y1: y1! };
    }
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 && event.button !== 1) return;
    const from = place(event);
    const panning = s.mode.value === "pan" || event.button === 1;
    const startRange = s.range.value;
    const startScroll = s.scroll.value;
    let moved = false;
    plot.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      const to = place(next);
      moved ||= Math.hypot(to.x - from.x, to.y - from.y) > CLICK_PX;
      if (!moved) return;
      s.hover.value = null;
      if (!panning) return drag(from, next);
      const by = ((from.x - to.x) / s.plotSize.value.width) *
        (startRange.t1 - startRange.t0);
      controller.setRange(
        { t0: startRange.t0 + by, t1: startRange.t1 + by });
      scroller.scrollTop = startScroll + from.y - to.y;
    };
    const up = (last: PointerEvent) => {
      plot.removeEventListener("pointermove", move);
      plot.removeEventListener("pointerup", up);
      plot.removeEventListener("pointercancel", up);
      if (moved && !panning) finish(from, place(last));
      else if (!moved && event.button === 0) void click(from);
    };
    plot.addEventListener("pointermove", move);
    plot.addEventListener("pointerup", up);
    plot.addEventListener("pointercancel", up);
  };

  const click = async (where: { x: number; y: number }) => {
    plot.focus({ preventScroll: true });
    const { event, piece, iteration } =
      await controller.link.hit(where.x, where.y);
    if (piece) {
      controller.showPiece(s.path.value.findIndex((one) =>
        one.start === piece.start && one.why === piece.why));
    } else if (iteration) {
      // Its mark is an event of a thread; of several, they come apart first.
      if (iteration.count === 1) await controller.select(iteration.row);
      else controller.zoom(0.25, (iteration.start + iteration.end) / 2);
    } else if (event && isPreview.value) {
      await controller.showMark(event);
    } else if (event && event.count > 1) {
      // A mark is many events: come nearer until they are apart.
      await controller.select(event.row);
      controller.zoom(0.25, (event.t0 + event.t1) / 2);
    } else if (event) await controller.select(event.row);
    else controller.clear();
  };

  const double = async (event: MouseEvent) => {
    const where = place(event);
    const hit = (await controller.link.hit(where.x, where.y)).event;
    if (!hit) return;
    void controller.select(hit.row);
    controller.highlight();
  };

  const hovered = (event: PointerEvent) => {
    at = place(event);
    if (event.buttons === 0) void askHover();
  };
  const leave = () => {
    at = null;
    s.hover.value = null;
  };

  const wheel = (event: WheelEvent) => {
    const lines = event.deltaMode === 1 ? WHEEL_LINE : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      controller.zoom(Math.exp(event.deltaY * lines * WHEEL_ZOOM),
        timeAt(place(event).x));
      return;
    }
    const sideways = sidewaysOf(event);
    if (sideways === 0) return;
    event.preventDefault();
    controller.pan((sideways * lines) / s.plotSize.value.width);
  };

  const handlers: [string, (event: never) => void][] = [
    ["pointerdown", down], ["pointermove", hovered], ["pointerleave", leave],
    ["dblclick", double], ["wheel", wheel]];
  for (const [name, handler] of handlers)
    plot.addEventListener(name, handler as EventListener,
      { passive: false });
  return {
    time: () => (at ? timeAt(at.x) : undefined),
    stop: () => {
      for (const [name, handler] of handlers)
        plot.removeEventListener(name, handler as EventListener);
    },
  };
}

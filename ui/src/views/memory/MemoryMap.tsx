// SPDX-License-Identifier: Apache-2.0
//
// Memory of a place over time, by who holds it, and each allocation as a box in
// time and address. A drag over the areas chooses a time, a click an instant.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { MemoryMapInfo } from "../../generated/answers.ts";
import {
  clampRange, wholeRange, xToTime, zoomAt, type Range,
} from "../../model/axis.ts";
import { formatBytes, formatTime } from "../../model/format.ts";
import {
  boxAt, moveAddresses, openingRange, runAt, sampleAt, shownGroups, stepLines,
  zoomAddresses,
} from "../../model/memory_map.ts";
import { sidewaysOf } from "../../model/wheel.ts";
import { Name } from "../../shell/Name.tsx";
import { setMore } from "../../state/route.ts";
import { theme } from "../../state/theme.ts";
import { trace } from "../../state/trace.ts";
import {
  AREA, AXIS, colourOf, draw, HEIGHT, LEFT, MAP, type Picture,
} from "./draw.ts";
import { useMapData } from "./map_data.ts";

const CLICK_PX = 4;
const WHEEL_ZOOM = 0.0022;
const KEYS: Record<string, [pan: number, zoom: number]> = {
  a: [-0.2, 1], d: [0.2, 1], w: [0, 0.7], s: [0, 1 / 0.7],
  ArrowLeft: [-0.2, 1], ArrowRight: [0.2, 1], "+": [0, 0.7], "-": [0, 1 / 0.7],
};

interface Point { x: number; y: number }

interface Props {
  place: MemoryMapInfo;
  by: string;
  reservedTrack: number | null;
  /** Times of the instants that were chosen. */
  instants: number[];
  chosen: number | null;
  onSelect: (from: number, to: number) => void;
  onInstant: (event: number, other: boolean) => void;
}

export function MemoryMap(props: Props) {
  const { place } = props;
  const box = useRef<HTMLDivElement>(null);
  const size = useSignal(0);
  const width = size.value;
  const info = trace.value!.info;
  const canvas = useRef<HTMLCanvasElement>(null);
  const range = useSignal<Range>(openingRange(place, info.span_ns));
  const addresses = useSignal<Range>({ t0: 0, t1: place.bytes });
  const pointer = useSignal<Point | null>(null);
  const dragged = useSignal<{ from: number; to: number } | null>(null);
  const data = useMapData(width === 0 ? null : { place, by: props.by,
    range: range.value, addresses: addresses.value,
    width: Math.max(1, width - LEFT), height: MAP,
    reservedTrack: props.reservedTrack });
  const picture: Picture = { width, range: range.value,
    addresses: addresses.value, theme: theme.value, place, area: data.area,
    reserved: data.reserved, boxes: data.boxes,
    steps: stepLines(info.steps, range.value, width),
    instants: props.instants, chosen: props.chosen };
  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, picture);
  });
  useEffect(() => {
    const element = box.current!;
    const watch = new ResizeObserver(() => {
      size.value = Math.floor(element.clientWidth);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const zoom = (factor: number, anchor?: number) => {
    const { t0, t1 } = range.value;
    range.value = zoomAt(range.value, factor, anchor ?? (t0 + t1) / 2,
      info.span_ns);
  };
  const pan = (share: number) => {
    const by = share * (range.value.t1 - range.value.t0);
    range.value = clampRange({ t0: range.value.t0 + by,
      t1: range.value.t1 + by }, info.span_ns);
  };
  const whole = () => {
    range.value = wholeRange(info.span_ns);
    addresses.value = { t0: 0, t1: place.bytes };
  };
  const timeAt = (x: number) =>
    xToTime(range.value, width - LEFT, x - LEFT);
  const addressAt = (y: number) => addresses.value.t0 +
    ((HEIGHT - y) / MAP) * (addresses.value.t1 - addresses.value.t0);
  const onMap = (at: Point) => at.y >= AREA + AXIS && at.x >= LEFT;
  const boxUnder = (at: Point) => data.boxes && onMap(at)
    ? boxAt(data.boxes, place.unit, timeAt(at.x), addressAt(at.y)) : null;

  const placeOf = (event: MouseEvent): Point => {
    const rect = canvas.current!.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  };
  const click = (at: Point, other: boolean) => {
    if (onMap(at)) {
      const under = boxUnder(at);
      setMore("box", under ? String(under.id) : "");
      return;
    }
    const sample = data.area ? sampleAt(data.area, timeAt(at.x)) : -1;
    const event = sample < 0 ? null : data.area!.event[sample];
    if (event !== null && event !== undefined) props.onInstant(event, other);
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    const from = placeOf(event);
    const [times, low] = [range.value, addresses.value];
    let moved = false;
    const move = (next: PointerEvent) => {
      const to = placeOf(next);
      moved ||= Math.hypot(to.x - from.x, to.y - from.y) > CLICK_PX;
      if (!moved) return;
      pointer.value = null;
      if (!onMap(from)) {
        dragged.value = { from: Math.min(from.x, to.x),
          to: Math.max(from.x, to.x) };
        return;
      }
      const by = ((from.x - to.x) / (width - LEFT)) * (times.t1 - times.t0);
      range.value = clampRange({ t0: times.t0 + by, t1: times.t1 + by },
        info.span_ns);
      addresses.value = moveAddresses(low,
        ((to.y - from.y) / MAP) * (low.t1 - low.t0), place.bytes);
    };
    const up = (last: PointerEvent) => {
      target.removeEventListener("pointermove", move);
      target.removeEventListener("pointerup", up);
      target.removeEventListener("pointercancel", up);
      const chosen = dragged.value;
      dragged.value = null;
      if (!moved) click(from, last.shiftKey);
      else if (chosen) props.onSelect(Math.max(0, timeAt(chosen.from)),
        Math.min(info.span_ns, timeAt(chosen.to)));
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", up);
    target.addEventListener("pointercancel", up);
  };
  const wheel = (event: WheelEvent) => {
    const at = placeOf(event);
    const turn = event.deltaY * (event.deltaMode === 1 ? 18 : 1);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const factor = Math.exp(turn * WHEEL_ZOOM);
      if (event.altKey && onMap(at)) addresses.value = zoomAddresses(
        addresses.value, factor, addressAt(at.y), place.bytes);
      else zoom(factor, timeAt(at.x));
      return;
    }
    const sideways = sidewaysOf(event);
    if (sideways === 0) return;
    event.preventDefault();
    pan(sideways / (width - LEFT));
  };
  // Preact's own listeners of the wheel cannot prevent scrolling.
  const latest = useRef(wheel);
  latest.current = wheel;
  useEffect(() => {
    const element = canvas.current!;
    const listen = (event: WheelEvent) => latest.current(event);
    element.addEventListener("wheel", listen, { passive: false });
    return () => element.removeEventListener("wheel", listen);
  }, []);
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = KEYS[event.key];
    if (event.key === "0") whole();
    else if (event.key === "Escape") setMore("box", "");
    else if (way) {
      if (way[0] !== 0) pan(way[0]);
      else zoom(way[1]);
    } else return;
    event.preventDefault();
  };
  const isWhole = range.value.t1 - range.value.t0 >= info.span_ns &&
    addresses.value.t1 - addresses.value.t0 >= place.bytes;
  return (
    <div class="memory-map" ref={box} data-fresh={String(data.fresh)}>
      <canvas ref={canvas} tabIndex={0} role="img"
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        aria-label={"Memory over time by " + props.by +
          ", and allocations by time and address"}
        onPointerDown={down} onKeyDown={key}
        onPointerMove={(event) => {
          if (event.buttons === 0) pointer.value = placeOf(event);
        }}
        onPointerLeave={() => { pointer.value = null; }} />
      {dragged.value && <div class="memory-drag" style={{
        left: `${dragged.value.from}px`, height: `${AREA}px`,
        width: `${dragged.value.to - dragged.value.from}px` }} />}
      <Hover at={pointer.value} picture={picture} time={timeAt}
        address={addressAt} />
      <div class="memory-zoom">
        <button class="small" aria-label="Zoom in" title="Zoom in (W)"
          onClick={() => zoom(0.5)}>+</button>
        <button class="small" aria-label="Zoom out" title="Zoom out (S)"
          onClick={() => zoom(2)}>−</button>
        {!isWhole && <button class="small" title="Everything (0)"
          onClick={whole}>Whole</button>}
      </div>
      {data.error && <p class="nothing bad" role="alert">
        The map could not be read: {data.error}</p>}
      <Legend picture={picture} />
    </div>
  );
}

function Legend({ picture: { area, theme: name, reserved } }: {
  picture: Picture;
}) {
  if (!area) return null;
  return (
    <ul class="memory-legend" aria-label="Groups">
      {shownGroups(area).map((group) => (
        <li key={group}><i class="swatch"
          style={{ color: colourOf(group, area.groups.length, name) }} />
          <Name text={area.groups[group]!} /></li>
      ))}
      {reserved && <li><i class="dash" /><span>reserved by the allocator
      </span></li>}
    </ul>
  );
}

/** At most so many groups are named beside the pointer. */
const MOST_NAMED = 6;

function Hover({ at, picture, time, address }: {
  at: Point | null;
  picture: Picture;
  time: (x: number) => number;
  address: (y: number) => number;
}) {
  const { area, boxes, place, width } = picture;
  if (!at || at.x < LEFT || !area || area.t.length === 0) return null;
  const when = time(at.x);
  const lines: { group: number; text: string; value: string }[] = [];
  let title = formatTime(Math.max(0, when));
  if (at.y < AREA) {
    const sample = sampleAt(area, when);
    if (sample < 0) return null;
    for (const group of shownGroups(area)) {
      const bytes = area.held[group]![sample]!;
      if (bytes > 0 && lines.length < MOST_NAMED) lines.push({ group,
        text: area.groups[group]!, value: formatBytes(bytes) });
    }
  } else if (at.y > AREA + AXIS && boxes) {
    const box = boxAt(boxes, place.unit, when, address(at.y));
    const run = box ? null : runAt(boxes, when, address(at.y));
    const group = box?.group ?? run?.group;
    if (group === undefined) return null;
    lines.push({ group, text: area.groups[group]!,
      value: box ? formatBytes(box.high - box.low) : "small ones" });
    if (box) title = `${formatTime(box.begin)}, for ${
      formatTime(box.end - box.begin)}`;
  } else return null;
  return (
    <div class={"memory-hover" + (at.x > width / 2 ? " at-left" : "")}
      style={{ left: `${at.x}px`, top: `${at.y}px` }} aria-hidden="true">
      <b>{title}</b>
      {lines.map((line) => (
        <span key={line.group}><i class="swatch" style={{ color: colourOf(
          line.group, area.groups.length, picture.theme) }} />
          <em>{line.text}</em><span class="num">{line.value}</span></span>
      ))}
    </div>
  );
}

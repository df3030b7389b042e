// SPDX-License-Identifier: Apache-2.0
//
// The timeline: toolbar, minimap, tracks with their gutter, details.
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Range } from "../../model/axis.ts";
import { countOf, formatCount } from "../../model/format.ts";
import { onFound } from "../../state/search.ts";
import { cancelOpening, opening, picked, trace } from "../../state/trace.ts";
import { Prose } from "../../shell/Prose.tsx";
import { BoxPanel } from "./BoxPanel.tsx";
import { ChosenNote } from "./ChosenNote.tsx";
import { Controller } from "./controller.ts";
import { Details } from "./Details.tsx";
import { EventList } from "./EventList.tsx";
import { Gutter } from "./Gutter.tsx";
import { watchKeys } from "./keys.ts";
import { Minimap } from "./Minimap.tsx";
import { watchMouse } from "./mouse.ts";
import { loadBox, loadCritical } from "./queries.ts";
import * as s from "./store.ts";
import { SidePanel } from "./SidePanel.tsx";
import { detailsHeight, Splitter } from "./Splitter.tsx";
import { Toolbar } from "./Toolbar.tsx";
import { Tooltip } from "./Tooltip.tsx";
import "../../styles/trace.css";
import "../../styles/details.css";
import "../../styles/side_panel.css";

function Tracks({ map, controller, onReady }: {
  /** The canvas of the minimap that the worker draws on. */
  map: RefObject<HTMLCanvasElement | null>;
  controller: Controller | null;
  onReady: (controller: Controller | null) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const boxes = useRef<HTMLCanvasElement>(null);
  const lines = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const frame = scroller.current!;
    const area = plot.current!;
    const measure = () => {
      s.plotSize.value =
        { width: area.clientWidth, height: frame.clientHeight };
    };
    measure();
    s.scroll.value = frame.scrollTop;
    const made = new Controller({ boxes: boxes.current!,
      lines: lines.current!, map: map.current }, frame);
    const observer = new ResizeObserver(measure);
    observer.observe(frame);
    observer.observe(area);
    const onScroll = () => {
      s.scroll.value = frame.scrollTop;
    };
    frame.addEventListener("scroll", onScroll, { passive: true });
    const mouse = watchMouse(area, frame, made);
    const stopKeys = watchKeys(made, area, mouse.time);
    onFound((found) => made.showFound(found));
    onReady(made);
    return () => {
      onReady(null);
      onFound(null);
      stopKeys();
      mouse.stop();
      observer.disconnect();
      frame.removeEventListener("scroll", onScroll);
      made.stop();
    };
  }, []);
  const height = s.layout.value.height;
  return (
    <div class="tracks" ref={scroller}>
      <Gutter controller={controller} />
      <div class="plot-column" style={{ height: `${height + 26}px` }}>
        <div class={`plot mode-${s.mode.value}`} ref={plot} tabIndex={0}
          role="application"
          aria-label={"Timeline. Arrow keys move along events, " +
            "question mark lists the keys."}
          style={{ height: `${s.plotSize.value.height}px` }}>
          <canvas ref={boxes} aria-hidden="true" />
          <canvas ref={lines} aria-hidden="true" />
          <Tooltip />
        </div>
      </div>
    </div>
  );
}

/** Says that the picture is a coarse one, and how far the exact one is. */
function PreviewNote() {
  const now = opening.value;
  if (now.state !== "preview") return null;
  const { done = 0, total = 0 } = now.progress;
  const { read, events } = now.info.preview!;
  const share = total > 0 ? `: ${Math.floor((100 * done) / total)} %` : "";
  return (
    <div class="preview-note" role="status">
      Preview. Exact picture follows{share}.
      {read < events && ` ${formatCount(read)} of ` +
        `${countOf(events, "event")} could be read.`}
      <button class="link" onClick={() => void cancelOpening()}>Cancel</button>
    </div>
  );
}

function GoneNote() {
  return picked.value?.gone ? (
    <div class="preview-note" role="status">
      The file of this trace was deleted. It can be looked at until it is
      closed or memory runs short.
    </div>
  ) : null;
}

const sentence = (text: string) => /[.!?]$/.test(text) ? text : text + ".";

function Problem() {
  const problem = s.problem.value;
  if (!problem) return null;
  const text = problem.status === 401
    ? "The server has a new token. Reload the page from the address that " +
      "it printed."
    : `The timeline could not be read. ${sentence(problem.error)} ` +
      "Trying again.";
  return <div class="problem" role="alert"><Prose text={text} /></div>;
}

export default function TraceView() {
  const controller = useSignal<Controller | null>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const t = trace.value?.t ?? "";
  useEffect(() => loadBox(), []);
  useEffect(() => loadCritical(), []);
  useEffect(() => {
    // For tests and measurements: what the worker did, where things are.
    Object.assign(window, { stepscopeTimeline: {
      stats: () => controller.value?.link.stats(),
      selected: () => controller.value?.selectedRect() ?? null,
      range: () => s.range.value,
      setRange: (next: Range) => controller.value?.setRange(next),
    } });
  }, []);
  return (
    <div class="trace" style={detailsHeight.value === null ? {}
      : { "--details": `${detailsHeight.value}px` }}>
      <Toolbar controller={controller.value} />
      <div class="trace-row">
        <div class="trace-main">
          <Minimap key={`map ${t}`} controller={controller.value} seen={map} />
          <Tracks key={t} map={map} controller={controller.value}
            onReady={(next) => {
              controller.value = next;
            }} />
        </div>
        <SidePanel controller={controller.value} />
      </div>
      <PreviewNote />
      <ChosenNote />
      <GoneNote />
      <Problem />
      <Splitter />
      {s.box.value ? <BoxPanel controller={controller.value} />
        : <Details controller={controller.value} />}
      <EventList controller={controller.value} />
    </div>
  );
}

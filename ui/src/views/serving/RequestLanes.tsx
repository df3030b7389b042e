// SPDX-License-Identifier: Apache-2.0
//
// Each request as a row with its phases on the axis of the chart above. Only
// rows that are seen are in the page.
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { RequestList } from "../../generated/answers.ts";
import { PHASES } from "../../generated/looks.ts";
import type { Range } from "../../model/axis.ts";
import { valueOf } from "../../model/declared.ts";
import { formatTime } from "../../model/format.ts";
import { cssVar } from "../../model/palette.ts";
import {
  phasesOf, placeIn, requestName, type PhaseSpan,
} from "../../model/serving.ts";
import { percent } from "../../model/shares.ts";
import {
  ROW_HEIGHT, scrollFor, spacerHeight, topRow, topToSee, visibleSpan,
} from "../../model/windowing.ts";
import { choose, chosen } from "../../state/serving.ts";

const phaseText = ({ phase, start, end }: PhaseSpan) =>
  `${PHASES[phase]!.title.toLowerCase()} ${formatTime(end - start)}`;

function Lane({ list, request, range, id, top }: {
  list: RequestList; request: number; range: Range; id: string; top: number;
}) {
  const phases = phasesOf(list, request);
  const name = requestName(
    String(valueOf(list.table, request, "id") ?? ""), request);
  const ttft = valueOf(list.table, request, "ttft_ns");
  const error = valueOf(list.table, request, "error");
  const said = [...phases.map(phaseText), error ? `failed: ${error}` : ""]
    .filter(Boolean).join(", ") || "its times are not known";
  return (
    <div id={id} role="option" class={"lane" + (error ? " failed" : "")}
      aria-selected={chosen.value.request === request}
      title={`${name}\n${said}`}
      style={{ top: `${top}px` }} onClick={() => choose({ request })}>
      <span class="lane-name"><span class="mono">{name}</span>
        <small class="quiet">{typeof ttft === "number" ? formatTime(ttft)
          : ""}</small></span>
      <span class="hidden">{said}</span>
      <span class="lane-bars">
        {phases.map((one) => {
          const place = placeIn(range, one.start, one.end);
          return place && (
            <i key={one.phase} class={one.phase} style={{
              left: percent(place.left), width: percent(place.width),
              background: cssVar(PHASES[one.phase]!.hue) }} />
          );
        })}
      </span>
    </div>
  );
}

export function RequestLanes({ list, shown, range }: {
  list: RequestList; shown: number[]; range: Range;
}) {
  const box = useRef<HTMLDivElement>(null);
  const scroll = useSignal(0);
  const height = useSignal(300);
  const id = useId();
  const at = shown.indexOf(chosen.value.request ?? -1);
  const span = visibleSpan(scroll.value, height.value, shown.length);
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      if (box.current) height.value = box.current.clientHeight;
    });
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  // What is chosen is in sight, whoever chose it.
  useEffect(() => {
    if (at < 0) return;
    const room = box.current!.clientHeight;
    const now = topRow(box.current!.scrollTop, room, shown.length);
    const wanted = topToSee(at, now, room);
    if (wanted !== now)
      box.current!.scrollTop = scrollFor(wanted, room, shown.length);
  }, [at, shown]);

  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height.value / ROW_HEIGHT) - 1);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page,
      PageUp: at - page, Home: 0, End: shown.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const request =
      shown[Math.max(0, Math.min(shown.length - 1, next))];
    if (request !== undefined) choose({ request }, false);
  };
  if (shown.length === 0)
    return <p class="nothing" role="status">
      No request is in this stretch of time.</p>;
  return (
    <>
      <p class="lane-head quiet" aria-hidden="true"><span>Request</span>
        <small>to first token</small></p>
      <div class="lanes" ref={box} tabIndex={0} role="listbox"
        aria-label="Requests by arrival"
        aria-activedescendant={at >= span.first && at < span.last
          ? `${id}-${at}` : undefined}
        onKeyDown={onKey} onScroll={(event) => {
          scroll.value = event.currentTarget.scrollTop;
        }}>
        <div role="presentation" class="lane-space"
          style={{ height: `${spacerHeight(shown.length)}px` }}>
          {shown.slice(span.first, span.last).map((request, n) => (
            <Lane key={request} list={list} request={request} range={range}
              id={`${id}-${span.first + n}`}
              top={span.offset + n * ROW_HEIGHT} />
          ))}
        </div>
      </div>
    </>
  );
}

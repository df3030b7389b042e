// SPDX-License-Identifier: Apache-2.0
//
// What is under the pointer. The name comes with the hit; times inside come
// from the server a moment later, when the pointer rests.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type {
  Answers, CriticalSegment, StageInfo,
} from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { CLASSES, ITERATIONS, PARTS, PATHS } from "../../generated/looks.ts";
import {
  countOf, formatCount, formatShare, formatTime, formatValue,
} from "../../model/format.ts";
import { withPlace } from "../../model/memory.ts";
import { shortName, tooltipName } from "../../model/names.ts";
import { cssVar, lookOf } from "../../model/palette.ts";
import { MANY } from "../../model/records.ts";
import { kindTitle, spotText, type Spot } from "../../model/serving.ts";
import { Name } from "../../shell/Name.tsx";
import { api } from "../../state/api.ts";
import { isPreview, trace } from "../../state/trace.ts";
import type { HitAnswer } from "../../worker/protocol.ts";
import * as s from "./store.ts";

const REST_MS = 90;
type Hit = NonNullable<HitAnswer["event"]>;

/** An answer for what the pointer rests on; null until it is there. */
function useResting<P extends keyof Answers>(key: string, path: P,
  params: Record<string, string | number>): Answers[P] | null {
  const answer =
    useSignal<{ key: string; value: Answers[P] } | null>(null);
  useEffect(() => {
    if (!key) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.get(path, params, stop.signal).then((value) => {
        answer.value = { key, value };
      }, () => {});
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key]);
  return answer.value?.key === key ? answer.value.value : null;
}

function One({ hit }: { hit: Hit }) {
  const t = trace.value?.t ?? "";
  // A preview has no events, only where they are.
  const info = useResting(
    isPreview.value ? "" : `${t}/${hit.row}`, "event", { t, row: hit.row });
  const parts = info
    ? [formatTime(info.dur),
      info.children ? `self ${formatTime(info.self)}` : "",
      info.children ? `${countOf(info.children, "call")} inside` : ""]
    : [isPreview.value ? formatTime(hit.t1 - hit.t0) : "…"];
  return (
    <>
      <b class="mono">{tooltipName(hit.short || info?.name || "…")}</b>
      <span>{parts.filter(Boolean).join(" · ")}</span>
    </>
  );
}

function Many({ hit }: { hit: Hit }) {
  const t = trace.value?.t ?? "";
  const key = [t, isPreview.value, hit.track, hit.depth, hit.t0, hit.t1]
    .join("/");
  const info = useResting(key, "mark", {
    t, track: hit.track, depth: hit.depth, t0: Math.floor(hit.t0),
    t1: Math.ceil(hit.t1), ...(isPreview.value ? { preview: 1 } : {}),
  });
  const count = info ? info.events : hit.count;
  const more = !info && hit.count >= MANY;
  return (
    <>
      <b>{more ? `${formatCount(count)} or more events`
        : countOf(count, "event")}
        {" "}· {formatShare(info ? info.busy : hit.busy)} busy</b>
      {!info?.top.length && <span class="mono">{hit.mixed ? "mixed names"
        : `mostly ${tooltipName(hit.short)}`}</span>}
      {info?.top.map((one) => (
        <span key={one.name} class="top">
          <Name text={one.name} short={tooltipName(shortName(one.name))} />
          <i>{formatCount(one.events)} × · {formatTime(one.time)}</i>
        </span>
      ))}
    </>
  );
}

function Value({ track, value }: { track: number; value: number }) {
  const info = trace.value?.info.tracks.find((one) => one.id === track);
  return (
    <>
      <b>{tooltipName(withPlace(info?.name ?? ""))}</b>
      <span>{formatValue(value, info?.unit)}</span>
    </>
  );
}

function Idle({ dur, cause }: { dur: number; cause: number }) {
  const { hue, title } = lookOf(PARTS,
    trace.value?.info.idle_causes?.[cause] ?? "unexplained");
  return (
    <>
      <b><Swatch hue={hue} />{" "}Idle: {title}</b>
      <span>{formatTime(dur)}</span>
    </>
  );
}

function Stage({ name, dur, inferred }: StageInfo) {
  return (
    <>
      <b>{tooltipName(name)}</b>
      <span>{formatTime(dur)}{inferred
        ? " · read from the names of events" : ""}</span>
    </>
  );
}

function Piece({ why, dur, category }: CriticalSegment) {
  const { hue, title } = lookOf(PATHS, category ?? "");
  return (
    <>
      <b class="mono">{tooltipName(shortName(why))}</b>
      <span><Swatch hue={hue} /> {title} · {formatTime(dur)}</span>
    </>
  );
}

function Iteration(spot: Spot) {
  return (
    <>
      <b><Swatch hue={lookOf(ITERATIONS, spot.kind).hue} />{" "}
        {kindTitle(spot.kind)}</b>
      <span>{spotText(spot)}</span>
    </>
  );
}

export function Tooltip() {
  const now = s.hover.value;
  if (!now) return null;
  const { event, value, idle, stage, piece, iteration } = now.answer;
  const { width, height } = s.plotSize.value;
  const style = {
    [now.x > width - 340 ? "right" : "left"]:
      `${now.x > width - 340 ? width - now.x + 12 : now.x + 12}px`,
    [now.y > height - 130 ? "bottom" : "top"]:
      `${now.y > height - 130 ? height - now.y + 12 : now.y + 16}px`,
    borderLeftColor: event
      ? cssVar(lookOf(CLASSES, event.className).hue) : undefined,
  };
  return (
    <div class="tooltip" role="tooltip" style={style}>
      {event ? event.count > 1 ? <Many hit={event} /> : <One hit={event} />
        : value ? <Value track={value.track} value={value.value} />
          : idle ? <Idle dur={idle.dur} cause={idle.cause} />
            : stage ? <Stage {...stage} />
              : piece ? <Piece {...piece} />
                : iteration ? <Iteration {...iteration} /> : null}
    </div>
  );
}

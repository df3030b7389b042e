// SPDX-License-Identifier: Apache-2.0
//
// Answers of the interface for the made-up trace, by plain loops.
import { encodeAnswer } from "./encode.mjs";

const BEGINS_BEFORE = 32;
const ENDS_AFTER = 64;

function recordsOf(boxes) {
  const buffer = new ArrayBuffer(boxes.length * 16);
  const view = new DataView(buffer);
  boxes.forEach((box, n) => {
    view.setUint16(n * 16, Math.min(65535, box.x), true);
    view.setUint16(n * 16 + 2, Math.max(1, Math.min(65535, box.w)), true);
    view.setUint32(n * 16 + 4, box.row, true);
    view.setUint16(n * 16 + 8, box.name, true);
    view.setUint8(n * 16 + 10, box.depth);
    view.setUint8(n * 16 + 11, box.class | box.flags);
    view.setUint16(n * 16 + 12, box.count, true);
    view.setUint8(n * 16 + 14, box.fill);
    view.setUint8(n * 16 + 15, box.slot);
  });
  return buffer;
}

function boxesOf(trace, k, i, tracks) {
  const length = 1024 * 2 ** k;
  const unit = length / 65536;
  const t0 = i * length;
  const marks = new Map();
  const boxes = [];
  for (const e of trace.events) {
    const slot = tracks.indexOf(e.track);
    const end = e.start + Math.max(1, e.dur);
    if (slot < 0 || end <= t0 || e.start >= t0 + length) continue;
    const at = Math.max(0, Math.floor((e.start - t0) / unit));
    const to = Math.min(65536, Math.ceil((end - t0) / unit));
    const box = { x: at, w: to - at, row: e.row, name: e.name,
      depth: e.depth, class: e.class, count: 1, fill: 255, slot,
      flags: (e.start < t0 ? BEGINS_BEFORE : 0) |
        (end > t0 + length ? ENDS_AFTER : 0) };
    if (e.dur >= 2 ** k) {
      boxes.push(box);
      continue;
    }
    const key = `${slot}/${e.depth}/${Math.floor(at / 64)}`;
    const mark = marks.get(key);
    if (!mark) marks.set(key, { ...box, busy: e.dur });
    else {
      mark.count++;
      mark.busy += e.dur;
      mark.x = Math.min(mark.x, at);
      mark.w = Math.max(mark.x + mark.w, to) - mark.x;
    }
  }
  for (const mark of marks.values()) {
    if (mark.count > 1)
      mark.fill = Math.min(254, Math.round(
        (254 * mark.busy) / (mark.w * unit)));
    boxes.push(mark);
  }
  return boxes.sort((a, b) =>
    a.slot - b.slot || a.depth - b.depth || a.x - b.x);
}

export function parseTracks(text) {
  return text.split(",").flatMap((part) => {
    const [from, to] = part.split("-").map(Number);
    return Array.from({ length: (to ?? from) - from + 1 },
      (_, n) => from + n);
  });
}

export function tilesAnswer(trace, query) {
  const k = Number(query.get("k"));
  const i0 = Number(query.get("i0"));
  const tracks = parseTracks(query.get("tracks"));
  const tiles = [];
  for (let i = i0; i <= Number(query.get("i1")); i++)
    tiles.push(recordsOf(boxesOf(trace, k, i, tracks)));
  return encodeAnswer(k, i0, trace.names.map((_, id) => id), tiles);
}

const ref = (trace, e) => e && ({ row: e.row, name: trace.names[e.name],
  track: e.track, depth: e.depth, start: e.start, dur: e.dur,
  class: trace.info.classes[e.class] });

function ancestorsOf(trace, e) {
  return trace.events.filter((o) => o.track === e.track &&
    o.depth < e.depth && o.start <= e.start &&
    o.start + o.dur >= e.start + e.dur)
    .sort((a, b) => b.depth - a.depth).map((o) => ref(trace, o));
}

export function eventAnswer(trace, row) {
  const e = trace.events[row];
  if (!e) return null;
  const lane = trace.events.filter((o) =>
    o.track === e.track && o.depth === e.depth)
    .sort((a, b) => a.start - b.start);
  const at = lane.indexOf(e);
  const inside = trace.events.filter((o) => o.track === e.track &&
    o.depth === e.depth + 1 && o.start >= e.start &&
    o.start + o.dur <= e.start + e.dur);
  const call = e.launch === null ? null : trace.events[e.launch];
  const same = trace.events.filter((o) => o.name === e.name)
    .map((o) => o.dur).sort((a, b) => a - b);
  const total = same.reduce((sum, d) => sum + d, 0);
  const at_ = (p) => same[Math.min(same.length - 1,
    Math.floor(same.length * p))];
  const edges = [0, 16e3, 32e3, 64e3, 128e3, 1e9];
  const up = ancestorsOf(trace, e);
  return {
    ...ref(trace, e), name_id: e.name, type: trace.info.classes[e.class],
    self: e.dur - inside.reduce((sum, o) => sum + o.dur, 0), step: 0,
    in_step: e.start,
    args: [["grid", "[64, 1, 1]"], ["correlation", String(row)]],
    ancestors: up, children: inside.length,
    launch: call && { ...ref(trace, call),
      ancestors: ancestorsOf(trace, call),
      delay: e.start - call.start - call.dur },
    launched_count: e.launched === undefined ? 0 : 1,
    launched: e.launched === undefined ? []
      : [ref(trace, trace.events[e.launched])],
    flows: [], previous: lane[at - 1]?.row ?? null,
    next: lane[at + 1]?.row ?? null,
    parent: up[0]?.row ?? null,
    first_child: inside[0]?.row ?? null, idle_before: 1200,
    facts: [{ label: "Occupancy, est.", value: "48 %" }],
    same_name: { calls: same.length, nested: 0, total,
      mean: total / same.length,
      min: same[0], max: same[same.length - 1], p50: at_(0.5), p90: at_(0.9),
      p99: at_(0.99), histogram: { edges,
        counts: edges.slice(1).map((to, n) =>
          same.filter((d) => d >= edges[n] && d < to).length) } },
  };
}

export function findAnswer(trace, query) {
  const text = query.get("q").toLowerCase();
  const matches = trace.events
    .filter((e) => trace.names[e.name].toLowerCase().includes(text))
    .sort((a, b) => a.start - b.start);
  const names = new Set(matches.map((e) => e.name)).size;
  if (!matches.length) return { count: 0, names, index: 0 };
  const back = query.get("dir") === "previous";
  const row = query.get("row");
  let at;
  if (row !== null) {
    const here = matches.findIndex((e) => e.row === Number(row));
    at = here + (back ? -1 : 1);
  } else {
    at = matches.findIndex((e) => e.start >= Number(query.get("from") ?? 0));
  }
  at = (at + matches.length) % matches.length;
  return { count: matches.length, names, index: at + 1,
    ...ref(trace, matches[at]) };
}

export function counterAnswer(trace, query) {
  const [t0, t1, px] = ["t0", "t1", "px"].map((key) =>
    Number(query.get(key)));
  const t = [];
  const last = [];
  const track = Number(query.get("track"));
  const step = Math.max((t1 - t0) / px, 5e4);
  for (let at = Math.max(0, t0); at < Math.min(t1, trace.span); at += step) {
    const wave = (Math.sin(at / 1.5e6) + 1) / 2;
    t.push(Math.round(at));
    last.push(track === 5 ? Math.round(2e9 + wave * 1e9)
      : track === 4 ? Math.round(wave * 4) : Math.round(wave * 100) / 100);
  }
  return { t, min: last, max: last, last };
}

export function idleAnswer(trace, query) {
  const stream = trace.events.filter((e) => e.track === 2)
    .sort((a, b) => a.start - b.start);
  const parts = [];
  let end = 0;
  for (const e of stream) {
    if (e.start > end && e.start > Number(query.get("t0")) &&
      end < Number(query.get("t1")))
      parts.push([end, e.start - end, e.row % 5]);
    end = Math.max(end, e.start + e.dur);
  }
  return { parts };
}

export function selectAnswer(trace, query) {
  const tracks = parseTracks(query.get("tracks"));
  const [t0, t1] = [Number(query.get("t0")), Number(query.get("t1"))];
  const inside = trace.events.filter((e) => tracks.includes(e.track) &&
    e.start < t1 && e.start + e.dur > t0);
  const rows = [...new Set(inside.map((e) => e.name))].map((id) => {
    const durs = inside.filter((e) => e.name === id).map((e) => e.dur)
      .sort((a, b) => a - b);
    const total = durs.reduce((a, b) => a + b, 0);
    const p = (share) => durs[Math.floor((durs.length - 1) * share)];
    return { name: trace.names[id], name_id: id, class: "operator",
      on: "thread", calls: durs.length, nested: 0,
      total, self: total, mean: total / durs.length, min: durs[0],
      max: durs[durs.length - 1], p50: p(0.5), p90: p(0.9), p99: p(0.99) };
  }).sort((a, b) => b.total - a.total);
  return { events: inside.length, names: rows.length, rows };
}

/** One row of boxes. */
export function flameAnswer(trace, query) {
  const { rows } = selectAnswer(trace, query.has("tracks") ? query
    : new URLSearchParams({ tracks: "0-2", t0: "0", t1: "1e12" }));
  let total = 0;
  const boxes = rows.map((r) => {
    const box = { name: r.name, class: r.class, depth: 0, x: total, w: r.total,
      self: r.total, calls: r.calls, start: 0, dur: r.max };
    total += r.total;
    return box;
  });
  return { total, modules: false, boxes };
}

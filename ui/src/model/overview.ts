// SPDX-License-Identifier: Apache-2.0
//
// What the first page says: which of the server's figures, in which words.
// Pure; it computes no figure.
import type {
  AdviseDoc, DeviceUse, MemoryPlace, SummaryDoc, TrackInfo,
} from "../generated/answers.ts";
import { valueAt } from "./declared.ts";
import { tensorUse } from "./device_use.ts";
import {
  countOf, formatBytes, formatCount, formatRange, formatShare, formatTime,
  formatValue,
} from "./format.ts";
import { placeName } from "./memory.ts";

export function ledgerText(
  seen: number, rejected: number, repaired: number, cut = false): string {
  const read = `${countOf(seen, "record")} read` +
    (cut ? " before the file breaks off" : "");
  if (cut && !repaired) return read;
  if (!repaired && !rejected) return `${read}: none lost, none repaired`;
  return `${read}: ${formatCount(rejected)} rejected, ` +
    `${formatCount(repaired)} repaired`;
}

export interface Figure {
  key: string;
  title: string;
  value: string;
  unit: string;
  detail: string;
  /** 0..1 for the ring; null: none. */
  share: number | null;
}

/** "51.6 ms" → value and unit apart. */
export function splitUnit(text: string): { value: string; unit: string } {
  const at = text.lastIndexOf("\u202f");
  return at < 0 ? { value: text, unit: "" }
    : { value: text.slice(0, at), unit: text.slice(at + 1) };
}

const UNKNOWN = { value: "–", unit: "", share: null };

export function peakPlace(places: MemoryPlace[]): MemoryPlace | null {
  const device = places.filter((one) => /gpu|cuda|mlu|xpu/i.test(one.place));
  const all = device.length > 0 ? device : places;
  return all.reduce<MemoryPlace | null>((best, one) =>
    !best || one.peak_allocated_bytes > best.peak_allocated_bytes
      ? one : best, null);
}

/** What an address names; else the fullest, of that place if there is one. */
export function shownPlace(places: MemoryPlace[], wanted: string | undefined,
  process?: string): MemoryPlace | null {
  const named = places.filter((one) => one.place === wanted);
  return named.find((one) => (one.process ?? "") === (process ?? "")) ??
    peakPlace(named.length > 0 ? named : places);
}

function stepFigure(doc: SummaryDoc): Figure {
  const period = doc.step_time?.period;
  const base = { key: "step", title: "Step time", share: null };
  if (!period) return { ...base, ...UNKNOWN,
    detail: "no steps: call step() or mark them" };
  // No speed: that is of other steps, and would not fit the median.
  return { ...base, ...splitUnit(formatTime(period.p50_ns)),
    detail: `${formatRange(period.min_ns, period.max_ns)}, start to start` };
}

/** What is missing in a file that breaks off may have been recorded. */
const missing = (what: string, cut: boolean) => cut
  ? `no ${what} in the part that was read` : "";

function busyFigure(doc: SummaryDoc, advise: AdviseDoc | null, cut: boolean)
  : Figure {
  const base = { key: "busy", title: "GPU busy" };
  const share = advise?.device_busy ?? null;
  const worked = doc.overview.gpu.length > 0;
  if (share === null || !worked)
    return { ...base, ...UNKNOWN,
      detail: missing("device", cut) || (!worked ? "no device was recorded"
        : advise ? "unknown: it may have run what the trace does not have"
          : "") };
  const part = (name: string) =>
    doc.waterfall?.parts.find((one) => one.name === name)?.ratio ?? 0;
  // Parts of the step that add up to it. Where the host communicates by
  // itself, that is not a part of the device's time.
  const parts = [`kernels ${formatShare(part("kernel"))}`,
    `copies ${formatShare(part("copy"))}`];
  if (doc.overview.gpu.some((row) => row.type === "Communication"))
    parts.push(
      `communication alone ${formatShare(part("communication exposed"))}`);
  return { ...base, ...splitUnit(formatShare(share)), share,
    detail: parts.join(", ") };
}

function tensorFigure(doc: SummaryDoc, use: DeviceUse | null, cut: boolean)
  : Figure {
  const { title, share, detail } = use ? tensorUse(use, doc.device)
    : { title: "Tensor-core time", share: null,
      detail: "no kernels were recorded" };
  const base = { key: "tensor", title };
  if (share === null)
    return { ...base, ...UNKNOWN,
      detail: (!use?.kernel_ns && missing("kernels", cut)) || detail };
  return { ...base, ...splitUnit(formatShare(share)), share, detail };
}

function occupancyFigure(use: DeviceUse | null): Figure {
  const base = { key: "occupancy", title: "Achieved occupancy" };
  const share = use?.occupancy ?? null;
  if (!use || share === null || use.occupancy_known === null)
    return { ...base, ...UNKNOWN, detail: "the trace does not state it" };
  return { ...base, ...splitUnit(formatShare(share)), share,
    detail: `known for ${formatShare(use.occupancy_known)} of kernel time` };
}

function memoryFigure(doc: SummaryDoc, use: DeviceUse | null, cut: boolean)
  : Figure {
  const base = { key: "memory", title: "Peak memory", share: null };
  const place = peakPlace(doc.memory);
  if (!place) return { ...base, ...UNKNOWN,
    detail: missing("memory", cut) ||
      "PyTorch and Paddle record it with profile_memory=True" };
  const of = use?.memory_bytes ? ` of ${formatBytes(use.memory_bytes)}` : "";
  return { ...base, ...splitUnit(formatBytes(place.peak_allocated_bytes)),
    detail: place.peak_reserved_bytes
      ? `reserved ${formatBytes(place.peak_reserved_bytes)}${of}`
      : `allocated on ${placeName(place.place)}` };
}

/** A device without kernels has no figures to show. */
export function mainDevice(uses: DeviceUse[]): DeviceUse | null {
  return uses.find((use) => use.kernel_ns > 0) ?? uses[0] ?? null;
}

/** The row with the most of its own time on the host; null: there is none. */
function mostSelf(rows: unknown[]): { row: unknown; ns: number } | null {
  let most: { row: unknown; ns: number } | null = null;
  for (const row of rows) {
    const ns = Number(valueAt(row, "self_cpu_ns"));
    if (ns > (most?.ns ?? 0)) most = { row, ns };
  }
  return most;
}

function coresFigure(doc: SummaryDoc): Figure {
  const cores = doc.device.find((one) => one.name === "CPU(Process)")
    ?.utilization ?? null;
  if (cores !== null)
    return { key: "cores", title: "Cores busy", value: formatValue(cores),
      unit: cores === 1 ? "core" : "cores", share: null,
      detail: "of this process, on average, while it was recorded" };
  const share = doc.waterfall?.parts
    .find((one) => one.name === "other CPU")?.ratio ?? null;
  const base = { key: "cores", title: "Host busy" };
  return share === null
    ? { ...base, ...UNKNOWN, detail: "the trace does not state it" }
    : { ...base, ...splitUnit(formatShare(share)), share,
      detail: "recorded code runs on a thread; cores were not counted" };
}

function selfFigure(doc: SummaryDoc): Figure {
  const base = { key: "self", title: "Most self time", share: null };
  const most = mostSelf(doc.operator);
  return most ? { ...base, ...splitUnit(formatTime(most.ns)),
    detail: `\`${valueAt(most.row, "name")}\`, without what it calls` }
    : { ...base, ...UNKNOWN, detail: "no operators were recorded" };
}

function pythonFigure(doc: SummaryDoc): Figure {
  const base = { key: "python", title: "Python", share: null };
  const rows = Array.isArray(doc["python"]) ? doc["python"] as unknown[] : [];
  const most = mostSelf(rows);
  return most ? { ...base, ...splitUnit(formatTime(most.ns)),
    detail: `most self time: \`${valueAt(most.row, "name") ??
      valueAt(most.row, "event")}\`` }
    : { ...base, ...UNKNOWN,
      detail: "no Python function was recorded; see with_stack=True" };
}

function threadsFigure(tracks: TrackInfo[]): Figure {
  const threads = tracks.filter((one) => one.kind === "thread" &&
    one.events > 0);
  const busiest = threads.reduce<TrackInfo | null>((most, one) =>
    !most || one.events > most.events ? one : most, null);
  return { key: "threads", title: "Threads", unit: "", share: null,
    value: formatCount(threads.length), detail: busiest
      ? `most events: ${busiest.name}, ${formatCount(busiest.events)}`
      : "no thread recorded anything" };
}

/** Of a program that used a device, or of what the host did without one. */
export function figuresOf(doc: SummaryDoc, advise: AdviseDoc | null,
  use: DeviceUse | null, cut = false, tracks: TrackInfo[] = []): Figure[] {
  // What is missing in a file that breaks off may have been recorded.
  if (doc.overview.gpu.length === 0 && !use && !cut)
    return [stepFigure(doc), coresFigure(doc), selfFigure(doc),
      doc.memory.length > 0 ? memoryFigure(doc, null, cut) : pythonFigure(doc),
      threadsFigure(tracks)];
  return [stepFigure(doc), busyFigure(doc, advise, cut),
    tensorFigure(doc, use, cut), occupancyFigure(use),
    memoryFigure(doc, use, cut)];
}

/** "GPU0" → "GPU 0", as the timeline calls it. */
export function deviceTitle(device: string): string {
  return device.replace(/^([A-Z]+)(\d+)$/, "$1 $2");
}

interface KnownChange {
  change: string;
  title: string;
  /** Of what a device does. */
  onDevice?: true;
}
/** Changes of whatif in words. */
const CHANGES: KnownChange[] = [
  { change: "graph", title: "Capture the step as one graph", onDevice: true },
  { change: "fuse_small", title: "Fuse small kernels", onDevice: true },
  { change: "no_sync", title: "Never wait for the device", onDevice: true },
  { change: "data_ready", title: "Data is always ready" },
  { change: "tensor_cores", title: "Tensor cores for all matrix kernels",
    onDevice: true },
  { change: "no_comm", title: "Communication takes no time" },
  { change: "comm=0.5", title: "Communication takes half the time" },
  { change: "host=0.5", title: "Host work takes half the time" },
];
/** What a program can try: without a device, nothing of one. */
export function changesOffered(hasDevice: boolean): KnownChange[] {
  return CHANGES.filter((one) => hasDevice || !one.onDevice);
}
export function changeTitle(change: string): string {
  if (change === "all") return "All together";
  return CHANGES.find((one) => one.change === change)?.title ?? change;
}

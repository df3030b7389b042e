// SPDX-License-Identifier: Apache-2.0
//
// What the first page says: which of the server's figures, in which words.
// Pure; it computes no figure.
import type {
  AdviseDoc, DeviceUse, MemoryPlace, SummaryDoc, TraceInfo,
} from "../generated/answers.ts";
import { prose } from "./prose.ts";
import {
  countOf, formatBytes, formatCount, formatRange, formatShare, formatTime,
} from "./format.ts";
import { placeName } from "./memory.ts";

/** What the first sentence has to say before it says anything else. */
export interface Doubts {
  /** The file ends before the recording does. */
  cut: boolean;
  /** It grows: more is on its way. */
  recording?: boolean;
  /** Records that could not be used. */
  lost: number;
  /** The share of a step in which nothing was recorded. */
  unrecorded: number;
}
const SURE: Doubts = { cut: false, lost: 0, unrecorded: 0 };
/** From here on it is no longer a detail. */
const MUCH = 0.2;

export function doubtsOf(doc: Pick<SummaryDoc, "waterfall">,
  info: Pick<TraceInfo, "complete" | "recording" | "rejected">): Doubts {
  return { cut: !info.complete, lost: info.rejected,
    ...info.recording ? { recording: true } : {},
    unrecorded: doc.waterfall?.parts
      .find((one) => one.name === "unexplained")?.ratio ?? 0 };
}

/** Where no finding is left: how far that is to be believed. */
export function nothingText({ cut, unrecorded }: Doubts): string {
  return cut || unrecorded >= MUCH
    ? "Nothing stands out in what was recorded."
    : "Nothing stands out that slows the steps down.";
}

/** The answer, in a few sentences. */
export function headline(advise: AdviseDoc | null, hasDevice: boolean,
  hasSteps = true, doubts = SURE): string {
  if (!advise) return "";
  const of = hasSteps ? "a step" : "the recorded time";
  const said: string[] = [];
  if (doubts.recording)
    said.push("This is what was recorded so far.");
  else if (doubts.cut)
    said.push("This file is cut off: figures are of the part that was read.");
  else if (doubts.lost > 0)
    said.push(`${countOf(doubts.lost, "record")} could not be read.`);
  if (hasDevice && advise.device_busy !== null)
    said.push(`The GPU works ${formatShare(advise.device_busy)} of ${of}.`);
  if (doubts.unrecorded >= MUCH)
    said.push(
      `Nothing was recorded in ${formatShare(doubts.unrecorded)} of ${of}.`);
  const first = advise.advice[0];
  said.push(first ? prose(first.finding) : nothingText(doubts));
  return said.join(" ");
}

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

/** The place that an address names, else the one of the peak. */
export function shownPlace(
  places: MemoryPlace[], wanted: string | undefined): MemoryPlace | null {
  return places.find((one) => one.place === wanted) ?? peakPlace(places);
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
  if (share === null || doc.overview.gpu.length === 0)
    return { ...base, ...UNKNOWN,
      detail: missing("device", cut) || "no device was recorded" };
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

function tensorFigure(use: DeviceUse | null, cut: boolean): Figure {
  const base = { key: "tensor", title: "Tensor-core time" };
  const share = use?.tensor_core ?? null;
  if (share === null)
    return { ...base, ...UNKNOWN, detail: use?.kernel_ns
      ? "unknown: the names of these kernels do not say it"
      : missing("kernels", cut) || "no kernels were recorded" };
  return { ...base, ...splitUnit(formatShare(share)), share,
    detail: "of kernel time, estimated from names" };
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
    detail: missing("memory", cut) || "record with profile_memory=True" };
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

export function figuresOf(doc: SummaryDoc, advise: AdviseDoc | null,
  use: DeviceUse | null, cut = false): Figure[] {
  return [stepFigure(doc), busyFigure(doc, advise, cut),
    tensorFigure(use, cut), occupancyFigure(use),
    memoryFigure(doc, use, cut)];
}

/** "GPU0" → "GPU 0", as the timeline calls it. */
export function deviceTitle(device: string): string {
  return device.replace(/^([A-Z]+)(\d+)$/, "$1 $2");
}

/** A change of whatif in words. */
export const CHANGES: { change: string; title: string }[] = [
  { change: "graph", title: "Capture the step as one graph" },
  { change: "fuse_small", title: "Fuse small kernels" },
  { change: "no_sync", title: "Never wait for the device" },
  { change: "data_ready", title: "Data is always ready" },
  { change: "tensor_cores", title: "Tensor cores for all matrix kernels" },
  { change: "no_comm", title: "Communication takes no time" },
  { change: "comm=0.5", title: "Communication takes half the time" },
  { change: "host=0.5", title: "Host work takes half the time" },
];
export function changeTitle(change: string): string {
  if (change === "all") return "All together";
  return CHANGES.find((one) => one.change === change)?.title ?? change;
}

// SPDX-License-Identifier: Apache-2.0
//
// The small models of the views.
import { expect, test } from "vitest";
import type {
  AdviseDoc, DeviceUse, GroupInfo, SummaryDoc, TrackInfo,
} from "../generated/answers.ts";
import { chipOf, rowName, verdictTitle } from "./compare.ts";
import { findStep, shownRange } from "./find_step.ts";
import { foldedBox } from "./folded.ts";
import { linesOf } from "./lines.ts";
import { columnsOf, fromObjects } from "./declared.ts";
import {
  curveOf, explainedText, groupOfProcess, placeName, tracksOfPlace, withPlace,
} from "./memory.ts";
import {
  deviceTitle, figuresOf, ledgerText, mainDevice, peakPlace, shownPlace,
  splitUnit,
} from "./overview.ts";
import { stagesByStep, typeGrid } from "./stages.ts";

const advise = (findings: string[], busy: number | null): AdviseDoc => ({
  representative: true, doubts: [], notes: [], headline: [], steps: 1,
  step_ns: 1, recorded_step_ns: 1, device_busy: busy, together_ns: null,
  advice: findings.map((finding) => ({ finding, id: finding, saving_ns: 1,
    low_ns: 0, high_ns: 2, saving_ratio: 0.1, change: null,
    saving_basis: "", overlaps: [], evidence: [], try: [] })),
});

test("a program without a device has figures of the host", () => {
  const doc = (device: unknown[]) => ({ step_time: null, memory: [], device,
    overview: { cpu: [], gpu: [] }, python: [
      { event: "loss", self_cpu_ns: 3_000_000 }],
    operator: [{ name: "aten::mm", self_cpu_ns: 2_000_000 },
      { name: "aten::conv2d", self_cpu_ns: 7_000_000 }],
    waterfall: { parts: [{ name: "other CPU", ratio: 0.93 }] },
  }) as unknown as SummaryDoc;
  const tracks = [{ kind: "thread", name: "main", events: 9 },
    { kind: "thread", name: "loader", events: 30 },
    { kind: "thread", name: "idle", events: 0 },
    { kind: "busy", name: "Host busy", events: 0 }] as TrackInfo[];
  const figures = figuresOf(doc([{ name: "CPU(Process)", utilization: 1.85 }]),
    null, null, false, tracks);
  expect(figures.map((one) => one.title)).toEqual(["Step time", "Cores busy",
    "Most self time", "Python", "Threads"]);
  expect(figures.map((one) => one.value).slice(1))
    .toEqual(["1.85", "7.00", "3.00", "2"]);
  expect(figures[2]!.detail).toContain("aten::conv2d");
  expect(figures[4]!.detail).toContain("loader");
  // Where nobody counted cores, what the step says.
  const [, host] = figuresOf(doc([]), null, null, false, tracks);
  expect(host).toMatchObject(
    { title: "Host busy", value: "93.0", share: 0.93 });
  // One that worked was recorded, whatever is not known of it.
  const worked = { ...doc([]), overview: { cpu: [], gpu: [{}] } };
  const detail = (told: AdviseDoc | null) =>
    figuresOf(worked as unknown as SummaryDoc, told, null, false, [])[1]!
      .detail;
  expect(detail(advise([], null))).toContain("may have run");
  expect(detail(null)).not.toContain("no device");
  // A file that breaks off may have had a device.
  expect(figuresOf(doc([]), null, null, true, tracks)[1]!.title)
    .toBe("GPU busy");
});

test("tensor cores as counters measured them, where there are any", () => {
  const use = { device: "GPU0", kernel_ns: 9, tensor_core: 0.8 } as DeviceUse;
  const doc = (counters?: object) => ({ step_time: null, memory: [],
    device: [{ name: "CPU(Process)", utilization: 1 },
      { name: "GPU0", utilization: 0.5, ...counters ? { counters } : {} }],
    overview: { cpu: [], gpu: [{ type: "Kernel" }] },
  }) as unknown as SummaryDoc;
  const figure = (of: SummaryDoc) =>
    figuresOf(of, null, use).find((one) => one.key === "tensor")!;
  expect(figure(doc())).toMatchObject({ title: "Tensor-core time", share: 0.8,
    detail: "of kernel time, estimated from names of kernels" });
  expect(figure(doc({ tensor_core_ratio: 0.43, measured_ratio: 1 })))
    .toMatchObject({ title: "Tensor cores active", value: "43.0", share: 0.43,
      detail: "measured by counters while kernels ran" });
  expect(figure(doc({ tensor_core_ratio: 0.43, measured_ratio: 0.5 })).detail)
    .toContain("known for 50.0");
});

test("the ledger in words", () => {
  expect(ledgerText(1000, 0, 0)).toBe(
    "1,000 records read: none lost, none repaired");
  expect(ledgerText(1, 0, 0)).toMatch(/^1 record read: /);
  expect(ledgerText(10, 2, 1)).toBe("10 records read: 2 rejected, 1 repaired");
  expect(ledgerText(10, 1, 0, true))
    .toBe("10 records read before the file breaks off");
});

test("value and unit stand apart", () => {
  expect(splitUnit("51.6\u202fms")).toEqual({ value: "51.6", unit: "ms" });
  expect(splitUnit("–")).toEqual({ value: "–", unit: "" });
});

test("the peak is that of a device, where there is one", () => {
  const place = (name: string, bytes: number) => ({ place: name,
    peak_allocated_bytes: bytes, peak_reserved_bytes: 0, rows: [],
    peak_at_ns: 0, live_at_peak: [], before_recording_bytes: 0,
    leak_candidates: [] });
  expect(peakPlace([place("Place(cpu)", 9), place("Place(gpu:0)", 1),
    place("Place(gpu:1)", 2)])?.place).toBe("Place(gpu:1)");
  expect(peakPlace([place("Place(cpu)", 9)])?.place).toBe("Place(cpu)");
  expect(peakPlace([])).toBeNull();
  // Memory of the host that a device reads is not that of the device.
  const tf = [place("gpu_host_bfc", 5), place("GPU_4_bfc", 7),
    place("GPU_6_bfc", 8)];
  expect(shownPlace(tf, undefined)?.place).toBe("GPU_6_bfc");
  expect(shownPlace(tf, "GPU_4_bfc")?.place).toBe("GPU_4_bfc");
  expect(shownPlace(tf, "gone")?.place).toBe("GPU_6_bfc");
  // Each rank has a peak of its own.
  const ranks = [3, 9, 5].map((bytes, rank) =>
    ({ ...place("Place(gpu:0)", bytes), process: `rank ${rank}` }));
  expect(shownPlace(ranks, "Place(gpu:0)", "rank 2")).toBe(ranks[2]);
  expect(shownPlace(ranks, "Place(gpu:0)")).toBe(ranks[1]);
});

test("stages by step", () => {
  const row = (index: number, stage: string, cpu_ns: number) =>
    ({ index, pid: 1, stage, cpu_ns, gpu_ns: 1, step_cpu_ns: 7,
      step_gpu_ns: 2 });
  const { names, steps } = stagesByStep(
    [row(1, "Forward", 5), row(1, "Others", 2), row(2, "Others", 3)], "cpu");
  expect(names).toEqual(["Forward", "Others"]);
  expect(steps.map((step) => step.values)).toEqual([[5, 2], [0, 3]]);
  expect(steps.map((step) => step.total)).toEqual([7, 7]);
});

test("types by stage", () => {
  const row = (type: string, device: boolean, stage: string) =>
    ({ type, device, stage, calls: 1, time_ns: 1, ratio: 1 });
  const grid = typeGrid([row("Operator", false, "Forward"),
    row("Kernel", true, "Backward")], true);
  expect(grid.stages).toEqual(["Forward", "Backward"]);
  expect(grid.types).toHaveLength(1);
  expect(grid.types[0]!.cells[0]).toBeNull();
});

test("memory tracks of a place, and curves on one axis", () => {
  const track = (id: number, name: string, group = 0, kind = "memory") =>
    ({ id, group, kind, name, detail: "", events: id }) as TrackInfo;
  expect(placeName("Place(gpu:0)")).toBe("gpu:0");
  const found = (tracks: TrackInfo[], place: string) => {
    const { allocated, reserved, processes } = tracksOfPlace(tracks, place);
    return [allocated?.id, reserved?.id, processes];
  };
  const one = [track(1, "Reserved Place(gpu:1)"),
    track(2, "Memory Place(gpu:1)"), track(3, "Memory Place(cpu)"),
    track(4, "Memory gpu:1", 0, "counter")];
  expect(found(one, "Place(gpu:1)")).toEqual([2, 1, 1]);
  expect(found(one, "gpu:1")).toEqual([2, 1, 1]);
  expect(found(one, "Place(cpu)")).toEqual([3, undefined, 1]);
  expect(found(one, "Place(gpu:0)")).toEqual([undefined, undefined, 0]);
  // A device whose name begins alike is another one.
  expect(found([...one, track(5, "Memory Place(gpu:10)"),
    track(6, "Reserved Place(gpu:10)")], "Place(gpu:1)")).toEqual([2, 1, 1]);
  // What another process allocated is not what this one reserved.
  expect(found([...one, track(7, "Memory Place(gpu:1)", 1)], "Place(gpu:1)"))
    .toEqual([7, undefined, 2]);
  const groups = [{ id: 3, pid: 9, rank: 1 }, { id: 4, pid: 8, rank: null }] as
    GroupInfo[];
  expect(["rank 1", "process 8", "a.json", undefined].map((name) =>
    groupOfProcess(groups, name))).toEqual([3, 4, undefined, undefined]);
  expect(tracksOfPlace([...one, track(8, "Memory Place(gpu:1)", 3)],
    "Place(gpu:1)", 3).allocated?.id).toBe(8);
  const curve = curveOf([
    { t: [0, 10], min: [1, 2], max: [5, 6], last: [3, 4] },
    { t: [5], min: [7], max: [9], last: [8] }], ["a", "b"]);
  expect(curve.times).toEqual([0, 5, 10]);
  expect(curve.series[0]!.values).toEqual([5, 3, 6]);
  expect(curve.series[1]!.values).toEqual([null, 9, 8]);
});

test("how much of the peak is explained", () => {
  const all = { steps: false, lossless: true };
  const facts = { live_bytes: 1.5 * 2 ** 30, before_bytes: 2 ** 30,
    peak_bytes: 2.5 * 2 ** 30 };
  const text = (about = all, of: Record<string, number> | undefined = facts) =>
    explainedText(of, about).replace(/\u2009|\u202f/g, " ");
  expect(text()).toBe("1.50 GiB of the 2.50 GiB at the peak are listed; " +
    "the rest was allocated before recording began.");
  expect(text({ ...all, steps: true }))
    .toMatch(/the rest was allocated before these steps began\.$/);
  // What was lost may have been allocated at any time.
  expect(text({ steps: true, lossless: false }))
    .toMatch(/the rest is not in the recording\.$/);
  expect(text(all, { ...facts, before_bytes: 0 })).toBe("");
  expect(explainedText(undefined, all)).toBe("");
});

test("a step is found by number and process", () => {
  const step = (index: number, group: number, start: number) =>
    ({ index, group, start, end: start + 1, dur: 1, warmup: false });
  const info = {
    steps: [step(4, 0, 10), step(4, 1, 20)],
    groups: [{ id: 0, name: "", detail: "", kind: "process" as const,
      pid: 7 }, { id: 1, name: "", detail: "", kind: "process" as const,
      pid: 8 }],
  };
  expect(findStep(info, 4, 8)?.start).toBe(20);
  expect(findStep(info, 4)?.start).toBe(10);
  // Steps of one number: the one that begins there.
  expect(findStep(info, 4, undefined, 10)?.start).toBe(10);
  expect(findStep(info, 4, undefined, 20)?.start).toBe(20);
  expect(findStep(info, 5)).toBeUndefined();
});

test("folded steps stay in their box", () => {
  const box = foldedBox(10, 20, 30, 50, 60, 100);
  expect(box).toEqual({ x: 0.2, w: 0.49999999999999994, bandX: 0.1,
    bandW: 0.8 });
  expect(foldedBox(500, 500, 500, 1, 1, 100).x).toBe(1);
});

test("what is inside an opened row follows the order of the table", () => {
  const data = fromObjects(columnsOf([{ key: "n", type: "count" }]),
    [{ n: 1, inner: [{ n: 5 }, { n: 9 }, { n: 7 }] }], ["inner"]);
  const lines = linesOf(data, Uint32Array.of(0), new Set(["0"]),
    () => [1, 2, 0]);
  expect([0, 1, 2, 3].map((i) => lines.at(i)).map((line) =>
    [line.data.cell(line.row, 0), line.id]))
    .toEqual([[1, "0"], [9, "0.1"], [7, "0.2"], [5, "0.0"]]);
});

test("opened rows show what is inside", () => {
  const data = fromObjects(columnsOf([{ key: "name", type: "text" }]),
    [{ name: "a", inner: [{ name: "b" }] }, { name: "c" }], ["inner"]);
  const order = Uint32Array.of(1, 0);
  expect(linesOf(data, order, new Set()).count).toBe(2);
  const lines = linesOf(data, order, new Set(["0"]));
  // A line keeps its name in another order.
  expect(linesOf(data, order, new Set()).find("0")).toBe(order.indexOf(0));
  expect(linesOf(data, order.toReversed(), new Set()).find("0"))
    .toBe(order.toReversed().indexOf(0));
  expect(lines.find(lines.at(2).id)).toBe(2);
  expect(linesOf(data, order, new Set()).find("0.0")).toBe(-1);
  expect([0, 1, 2].map((i) => lines.at(i)).map((line) =>
    [line.data.cell(line.row, 0), line.depth, line.id]))
    .toEqual([["c", 0, "1"], ["a", 0, "0"], ["b", 1, "0.0"]]);
});

test("verdicts of a comparison", () => {
  const told = (verdict: string, ratio: number | null) =>
    verdictTitle({ verdict, name_b: "run/after.json", ratio });
  expect(told("slower", 0.1)).toMatch(/^after\.json is slower by 10\.0\s%$/);
  expect(told("faster", -0.1)).toMatch(/^after\.json is faster by 10\.0\s%$/);
  expect(told("same", 0.1)).toBe("No difference beyond noise");
});

test("places and devices have the names of the timeline", () => {
  expect(withPlace("Reserved Place(gpu:0)")).toBe("Reserved gpu:0");
  expect(withPlace("Memory Place(cpu) allocated"))
    .toBe("Memory cpu allocated");
  expect(withPlace("loss")).toBe("loss");
  expect(["GPU0", "CPU(Process)"].map(deviceTitle))
    .toEqual(["GPU 0", "CPU(Process)"]);
});

test("rows of a comparison: places, and what no noise is known of", () => {
  expect(rowName("memory", "Place(gpu:0)", true)).toBe("gpu:0");
  expect(rowName("waterfall", "other CPU", true)).toBe("CPU only, GPU idle");
  expect(rowName("waterfall", "other CPU", false)).toBe("CPU works");
  expect(rowName("kernel", "void f<int>(int)", true)).toBeNull();
  const row = { memory: false, beyond: true, known: true, difference: 1,
    nothing: false };
  expect(chipOf({ ...row, nothing: true, beyond: false })).toBeNull();
  expect(chipOf(row)).toEqual({ text: "slower", kind: "bad" });
  expect(chipOf({ ...row, difference: -1 }))
    .toEqual({ text: "faster", kind: "good" });
  expect(chipOf({ ...row, beyond: false }))
    .toEqual({ text: "noise", kind: "" });
  expect(chipOf({ ...row, beyond: false, known: false })).toBeNull();
  expect(chipOf({ ...row, memory: true }))
    .toEqual({ text: "more", kind: "bad" });
  expect(chipOf({ ...row, memory: true, difference: -1 }))
    .toEqual({ text: "less", kind: "good" });
});

test("figures are of the first device that has kernels", () => {
  const use = (device: string, kernel_ns: number) => ({ device, kernel_ns,
    tensor_core: null, name: null, occupancy: null, occupancy_known: null,
    sm_efficiency: null, utilization: null, multiprocessors: null,
    capability: null, memory_bytes: null });
  expect(mainDevice([use("GPU1", 0), use("GPU4", 7)])?.device)
    .toBe("GPU4");
  expect(mainDevice([use("GPU1", 0)])?.device).toBe("GPU1");
  expect(mainDevice([])).toBeNull();
});

test("parts of the busy time add up; unknown tensor cores are not 0", () => {
  const doc = (gpu: string[]) => ({ step_time: null, memory: [], device: [],
    overview: { cpu: [], gpu: gpu.map((type) => ({ type })) },
    waterfall: { parts: [{ name: "kernel", ratio: 0.34 },
      { name: "copy", ratio: 0.035 },
      { name: "communication exposed", ratio: 0.62 }] },
  }) as unknown as SummaryDoc;
  const busy = (gpu: string[]) => figuresOf(doc(gpu), advise([], 0.995), null)
    .find((one) => one.key === "busy")!.detail.replaceAll("\u202f", " ");
  expect(busy(["Kernel", "Communication"])).toBe(
    "kernels 34.0 %, copies 3.5 %, communication alone 62.0 %");
  // The host communicates by itself.
  expect(busy(["Kernel"])).toBe("kernels 34.0 %, copies 3.5 %");
  const tensor = (kernel_ns: number) => figuresOf(doc([]), null,
    { tensor_core: null, kernel_ns } as DeviceUse)
    .find((one) => one.key === "tensor")!;
  expect(tensor(5)).toMatchObject({ value: "–",
    detail: "unknown: the names of these kernels do not say it" });
  expect(tensor(0).detail).toBe("no kernels were recorded");
  expect(figuresOf(doc([]), null, null, true).map((one) => one.detail))
    .toContain("no kernels in the part that was read");
});

test("a step is shown where its duration is", () => {
  const row = { index: 4, start_ns: 1000, dur_ns: 50, period_ns: 70,
    device_start_ns: 1020, warmup: false };
  const doc = (paced_by: string, device_start_ns: number | null = 1020) => ({
    steps: [{ ...row, device_start_ns }], step_time: { paced_by },
  }) as unknown as SummaryDoc;
  const step = { index: 4, start: 100, end: 150 };
  expect(shownRange(doc("host"), step, 900)).toMatchObject(step);
  expect(shownRange(doc("device"), step, 900))
    .toEqual({ start: 120, end: 190 });
  expect(shownRange(doc("device", null), step, 900)).toMatchObject(step);
});

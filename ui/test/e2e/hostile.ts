// SPDX-License-Identifier: Apache-2.0
//
// Traces and folders in which every text is a payload: each payload is in each
// field that a trace has.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PAYLOADS } from "./payloads.ts";

/** Of one step, in µs, and of one payload in it. */
export const STEP_US = 1_000_000;
export const SLOT_US = 2_000;
export const STEPS = 3;
/** Where operator `n` of a step begins, in ns from its trace's origin. */
export const operatorAt = (step: number, n: number) =>
  (step * STEP_US + 1000 + n * SLOT_US) * 1000;

type Json = Record<string, unknown>;

/** All payloads in all fields of a trace as Kineto writes it. */
export function writeHostileTrace(path: string,
  texts = PAYLOADS.map((one) => one.text)): void {
  const events: Json[] = [];
  const add = (event: Json) => events.push(event);
  const name = (pid: number, tid: number, what: string, text: string) =>
    add({ ph: "M", name: what, pid, tid, ts: 0,
      args: { name: text, labels: text } });
  texts.forEach((text, n) => {
    // A process and a thread of the name, with little in it.
    const pid = 10_000 + n;
    name(pid, pid, "process_name", text);
    name(pid, pid, "process_labels", text);
    name(pid, pid, "thread_name", text);
    add({ ph: "X", cat: text, name: text, pid, tid: pid, ts: 1000, dur: 100,
      args: { [text]: text, nested: { [text]: [text] } } });
    add({ ph: "i", s: "p", cat: text, name: text, pid, tid: pid, ts: 1200 });
    add({ ph: "C", name: text, pid, ts: 1000, args: { [text]: n } });
    add({ ph: "C", name: text, pid, ts: 2000, args: { [text]: n + 1 } });
    add({ ph: "s", cat: text, name: text, id: pid, pid, tid: pid, ts: 1010 });
    add({ ph: "f", bp: "e", cat: text, name: text, id: pid, pid: 1, tid: 1,
      ts: 1500 });
    // A stream of the name.
    name(0, 100 + n, "thread_name", text);
  });
  name(1, 0, "process_name", texts[0]!);
  name(1, 1, "thread_name", texts[1]!);
  for (let step = 0; step < STEPS; step++) {
    const at = step * STEP_US;
    add({ ph: "X", cat: "user_annotation", name: `ProfilerStep#${step}`,
      pid: 1, tid: 1, ts: at, dur: STEP_US - 1000 });
    texts.forEach((text, n) => {
      const start = at + 1000 + n * SLOT_US;
      const id = step * 10_000 + n + 1;
      const host = { pid: 1, tid: 1 };
      add({ ph: "X", cat: "cpu_op", name: text, ...host, ts: start,
        dur: SLOT_US - 100, args: { "External id": id, [text]: text,
          "Input Dims": [[text]], "Input type": [text], "Fwd thread id": 0,
          "Call stack": text } });
      add({ ph: "X", cat: "user_annotation", name: text, pid: 1, tid: 2,
        ts: start, dur: 500 });
      add({ ph: "X", cat: "python_function", pid: 1, tid: 3, ts: start,
        dur: 900, name: `${text}.py(${n}): ${text}`, args: {
          "Python id": id, "Python module id": n } });
      add({ ph: "X", cat: "python_function", pid: 1, tid: 3,
        ts: start + 100, dur: 700, name: `nn.Module: ${text}_${n}`,
        args: { "Python id": id + 5000, "Python parent id": id } });
      add({ ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", ...host,
        ts: start + 10, dur: 20, args: { correlation: id,
          "External id": id } });
      add({ ph: "X", cat: "kernel", name: text, pid: 0, tid: 100 + n,
        ts: start + 100, dur: 200, args: { correlation: id,
          stream: 100 + n, device: 0, grid: [1, 1, 1], block: [text],
          "External id": id, [text]: text } });
      add({ ph: "X", cat: "kernel", pid: 0, tid: 7, ts: start + 400,
        dur: 100, name: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", args: {
          stream: 7, device: 0, "Collective name": text, dtype: text,
          "Process Group Name": text, "Process Group Description": text } });
      add({ ph: "i", s: "t", cat: "cpu_instant_event", name: "[memory]",
        ...host, ts: start + 20, args: { "Device Type": 1, "Device Id": 0,
          Addr: id, Bytes: 1024 * (n + 1), "Total Allocated": 1024 * (n + 1),
          "Total Reserved": 1 << 20, Place: text } });
    });
  }
  writeFileSync(path, JSON.stringify({ schemaVersion: 1,
    deviceProperties: [{ id: 0, name: texts[0], computeMajor: 9,
      computeMinor: 0, numSms: 1, totalGlobalMem: 1024 }],
    distributedInfo: { backend: texts[1], rank: 0, world_size: 2,
      pg_config: [{ pg_name: texts[2], pg_desc: texts[3] }] },
    trace_name: texts[4], hostname: texts[5], with_stack: texts[6],
    ...Object.fromEntries(texts.map((text) => [text, text])),
    traceEvents: events }));
}

/** As far as a file system has them. */
export function fileNames(): string[] {
  const names = PAYLOADS.map(({ text }) => text.replaceAll("/", "\u2215")
    .replaceAll("\u0000", "").slice(0, 60).replace(/^\.+/, "")
    .replace(/[\ud800-\udfff]/g, ""));
  return [...new Set(names)].filter((name) => name.trim() !== "");
}

/** A run and a file of each name. */
export function writeHostileFolder(folder: string): number {
  const trace = JSON.stringify({ traceEvents: [
    { ph: "X", cat: "cpu_op", name: "work", pid: 1, tid: 1, ts: 1, dur: 9 }] });
  const names = fileNames();
  for (const name of names) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, name + ".json"), trace);
    writeFileSync(join(folder, name, name + "_rank1.json"), trace);
  }
  return names.length;
}

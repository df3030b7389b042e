// SPDX-License-Identifier: Apache-2.0
//
// A made-up trace: six steps on two threads and a stream, with counters. The
// same for the same seed.
export const CLASSES = ["other", "kernel", "copy", "set", "operator",
  "runtime", "user", "communication", "python", "step", "dataloader",
  "forward", "backward", "optimizer", "sync", "overhead"];
export const IDLE_CAUSES = ["launch gap", "other CPU", "input stall",
  "host sync", "unexplained"];

function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const OPERATORS = ["aten::convolution", "aten::cudnn_batch_norm",
  "aten::relu_", "aten::add_", "aten::linear", "aten::copy_"];
const KERNELS = [
  "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, 512>(float*)",
  "void at::native::vectorized_elementwise_kernel<4, " +
    "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
  "sm90_xmma_fprop_implicit_gemm_f16f16", "Memset (Device)",
];

export function makeTrace(steps = 6, operators = 120) {
  const next = random(7);
  const names = [];
  const ids = new Map();
  const nameId = (text) => {
    if (!ids.has(text)) {
      ids.set(text, names.length);
      names.push(text);
    }
    return ids.get(text);
  };
  const events = [];
  const put = (track, depth, start, dur, text, kind, launch = null) => {
    const row = events.length;
    events.push({ row, track, depth, start: Math.round(start),
      dur: Math.round(dur), name: nameId(text), class: CLASSES.indexOf(kind),
      launch });
    return row;
  };
  const stepList = [];
  let time = 1e6;
  let streamFree = 0;
  for (let s = 0; s < steps; s++) {
    const begin = time;
    put(1, 0, begin, 0, `ProfilerStep#${s}`, "step");
    const stepRow = events.length - 1;
    const stage = put(0, 0, begin, 0, "Forward", "forward");
    for (let n = 0; n < operators; n++) {
      const text = OPERATORS[Math.floor(next() * OPERATORS.length)];
      const dur = 2e4 + next() * 2e5;
      const row = put(1, 1, time, dur, text, "operator");
      put(1, 2, time + dur * 0.1, dur * 0.8, text + "_inner", "operator");
      const call = put(1, 3, time + dur * 0.4, 6e3, "cudaLaunchKernel",
        "runtime");
      const start = Math.max(streamFree, time + dur * 0.4 + 8e3);
      const length = 4e3 + next() ** 3 * 1.5e5;
      const kernel = Math.floor(next() * KERNELS.length);
      put(2, 0, start, length, KERNELS[kernel],
        kernel === 3 ? "set" : "kernel", call);
      events[call].launched = events.length - 1;
      streamFree = start + length + 500;
      events[row].inner = true;
      time += dur + 1000 + next() * 2e4;
    }
    events[stepRow].dur = time - begin;
    events[stage].dur = time - begin;
    stepList.push({ index: s, start: begin, end: time,
      dur: time - begin, warmup: s === 0 });
    time += 1e5;
  }
  const span = Math.round(Math.max(time, streamFree));
  const count = (track) => events.filter((e) => e.track === track).length;
  return {
    events, names, span,
    info: {
      origin_ns: "1700000000000000000", span_ns: span,
      events: events.length, names: names.length,
      groups: [
        { id: 0, name: "server", detail: "", kind: "process", pid: 393 },
        { id: 1, name: "python3", detail: "pid 393", kind: "process",
          pid: 393 },
        { id: 2, name: "GPU 0", detail: "NVIDIA H200", kind: "device" },
      ],
      tracks: [
        { id: 0, group: 0, kind: "async", name: "Requests", detail: "",
          events: count(0), depth: 1, unit: "" },
        { id: 1, group: 1, kind: "thread", name: "python3",
          detail: "thread 393", events: count(1), depth: 4, unit: "" },
        { id: 2, group: 2, kind: "stream", name: "Stream 7",
          detail: "stream 7", events: count(2), depth: 1, unit: "" },
        { id: 3, group: 2, kind: "busy", name: "GPU busy", detail: "",
          events: 0, depth: 0, unit: "share" },
        { id: 4, group: 2, kind: "queue", name: "Launch queue",
          detail: "launched, not started", events: 0, depth: 0,
          unit: "kernels" },
        { id: 5, group: 2, kind: "memory", name: "Memory gpu:0", detail: "",
          events: 0, depth: 0, unit: "bytes" },
      ],
      steps: stepList,
      stages: stepList.map((step) => ({ name: "Forward", start: step.start,
        end: step.end, dur: step.dur, group: 1, inferred: true })),
      classes: CLASSES, idle_causes: IDLE_CAUSES,
      levels: { min: 0,
        max: Math.max(0, Math.ceil(Math.log2(span / 1024))) },
      complete: true,
      ledger: { seen: events.length, kept: events.length, repaired: {},
        rejected: {} }, repaired: 0, rejected: 0,
    },
  };
}

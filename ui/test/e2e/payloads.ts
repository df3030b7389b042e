// SPDX-License-Identifier: Apache-2.0
//
// A trace whose every text tries to become markup or script.
import { writeFileSync } from "node:fs";

const RUN = "window.hacked=1";
export const PAYLOADS = [
  `<img src=x onerror="${RUN}">`, `<script>${RUN}</script>`,
  `"><svg onload=${RUN}>`, `'"--></style></script><script>${RUN}</script>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>">`,
  `javascript:${RUN}//`, `{{${RUN}}}`, `\${${RUN}}`,
  `<a href="javascript:${RUN}">x</a>`, `<b style="background:red">x</b>`,
  `</title><script>${RUN}</script>`, `<math><mi xlink:href="data:x,${RUN}">`,
  `%3Cscript%3E${RUN}%3C/script%3E`, "\u202etxt.exe\u202c", "=1+1",
];

export function writePayloadTrace(path: string): void {
  const events: unknown[] = [];
  const text = (n: number) => `${PAYLOADS[n % PAYLOADS.length]} ${n}`;
  const add = (cat: string, name: string, tid: number, ts: number,
    dur: number, args: object = {}) => events.push(
    { ph: "X", cat, name, pid: 1, tid, ts, dur, args });
  events.push({ ph: "M", name: "process_name", pid: 1, tid: 0,
    args: { name: text(0) } });
  events.push({ ph: "M", name: "thread_name", pid: 1, tid: 1,
    args: { name: text(1) } });
  for (let step = 0; step < 6; step++) {
    const at = step * 10_000;
    add("user_annotation", `ProfilerStep#${step}`, 1, at, 9000);
    add("user_annotation", text(2), 1, at + 10, 8900);
    PAYLOADS.forEach((_, n) => {
      const start = at + 100 + n * 500;
      const id = step * 1000 + n + 1;
      add("cpu_op", text(n), 1, start, 400, { "External id": id,
        "Input Dims": [[text(n)]], "Input type": [text(n)] });
      add("cuda_runtime", "cudaLaunchKernel", 1, start + 10, 20,
        { correlation: id, "External id": id });
      events.push({ ph: "X", cat: "kernel", name: text(n), pid: 0, tid: 7,
        ts: start + 100, dur: 200, args: { correlation: id, stream: 7,
          device: 0, grid: [1, 1, 1], block: [text(n)],
          "External id": id } });
      events.push({ ph: "i", s: "t", cat: "cpu_instant_event",
        name: "[memory]", pid: 1, tid: 1, ts: start + 20, args: {
          "Device Type": 1, "Device Id": 0, Addr: id, Bytes: 1024 * (n + 1),
          "Total Allocated": 1024 * (n + 1), "Total Reserved": 65536 } });
    });
  }
  writeFileSync(path, JSON.stringify({ schemaVersion: 1,
    deviceProperties: [{ id: 0, name: text(0), computeMajor: 9,
      computeMinor: 0, numSms: 1, totalGlobalMem: 1024 }],
    traceEvents: events }));
}

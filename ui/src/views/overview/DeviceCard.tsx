// SPDX-License-Identifier: Apache-2.0
//
// Devices and processors, and what the run consists of.
import type { DeviceUse, SummaryDoc } from "../../generated/answers.ts";
import { tensorUse } from "../../model/device_use.ts";
import { formatBytes, formatShare } from "../../model/format.ts";
import { deviceTitle } from "../../model/overview.ts";
import { picked, runs, trace } from "../../state/trace.ts";
import { SkippedFiles } from "../../shell/SkippedFiles.tsx";
import { Card } from "../parts.tsx";

type Fact = [title: string, value: string, hint?: string];

export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([title, value, hint]) => (
        <div key={title} title={hint}><dt>{title}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

const share = (value: number | null) =>
  value === null ? "not recorded" : formatShare(value);

function factsOf(use: DeviceUse, doc: SummaryDoc): Fact[] {
  const tensor = tensorUse(use, doc.device);
  const facts: Fact[] = [
    ["Kernels running", share(use.utilization),
      "time in which a kernel ran within the steps, over the time of the " +
      "steps; copies are not in it"],
    [tensor.title, tensor.share === null && use.kernel_ns
      ? "unknown" : share(tensor.share), tensor.detail],
    ["Occupancy", use.occupancy === null ? "not stated"
      : formatShare(use.occupancy), "mean over the kernels that state it"],
    ["known for", use.occupancy_known === null ? "–"
      : `${formatShare(use.occupancy_known)} of kernel time`],
    ["SM efficiency", use.sm_efficiency === null ? "not stated"
      : formatShare(use.sm_efficiency),
    "kernels running, less the multiprocessors that had no block"],
  ];
  if (use.multiprocessors !== null)
    facts.push(["SMs", String(use.multiprocessors)]);
  if (use.capability) facts.push(["Capability", use.capability]);
  if (use.memory_bytes !== null)
    facts.push(["Memory", formatBytes(use.memory_bytes)]);
  return facts;
}

export function DeviceCard(
  { doc, devices }: { doc: SummaryDoc; devices: DeviceUse[] }) {
  const cpu = doc.device.filter((one) => one.name.startsWith("CPU"));
  const others = doc.device.filter((one) => !one.name.startsWith("CPU"));
  return (
    <Card title="Devices">
      {devices.length > 0 ? devices.map((use) => (
        <div key={use.device} class="device">
          <h3>{deviceTitle(use.device)}
            {use.name && <span class="quiet"> · {use.name}</span>}</h3>
          <Facts facts={factsOf(use, doc)} />
        </div>
      )) : others.length > 0
        ? <Facts facts={others.map((one) =>
          [one.name, share(one.utilization)])} />
        : <p class="nothing">No GPU was recorded.</p>}
      <h3>Processors</h3>
      <Facts facts={cpu.map((one) => [
        one.name === "CPU(Process)" ? "This process" : "Whole machine",
        share(one.utilization),
        one.name === "CPU(Process)" ? "100 % is one core" : undefined,
      ])} />
    </Card>
  );
}

export function RunCard({ doc }: { doc: SummaryDoc }) {
  const groups = trace.value?.info.groups ?? [];
  const run = picked.value?.run;
  return (
    <Card title="Run" detail={doc.source.format}>
      <table class="plain run">
        <thead><tr>
          <th scope="col">Process or device</th>
          <th scope="col" class="num">Rank</th>
          <th scope="col" class="num">Pid</th>
        </tr></thead>
        <tbody>{groups.map((group) => (
          <tr key={group.id}>
            <th scope="row">{group.name}
              {group.detail && <span class="quiet"> {group.detail}</span>}
            </th>
            <td class="num">{group.rank ?? "–"}</td>
            <td class="num">{group.pid ?? "–"}</td>
          </tr>
        ))}</tbody>
      </table>
      <p class="note faint">{run ? `${run.workers.length} worker` +
        `${run.workers.length === 1 ? "" : "s"} in this run. ` : ""}
        {doc.source.files.map((file) => file.split("/").pop()).join(", ")}
      </p>
      {runs.value.state === "ready" &&
        <SkippedFiles listed={runs.value.value} />}
    </Card>
  );
}

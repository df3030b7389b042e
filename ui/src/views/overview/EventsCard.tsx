// SPDX-License-Identifier: Apache-2.0
//
// Kinds of events: how many, how long, and in which stage.
import type { SummaryDoc, TypeStage } from "../../generated/answers.ts";
import { Bar, Swatch } from "../../charts/charts.tsx";
import { STAGES, TYPES } from "../../generated/looks.ts";
import { formatCount, formatShare, formatTime } from "../../model/format.ts";
import { objectsOf } from "../../model/device_use.ts";
import { lookOf } from "../../model/palette.ts";
import { typeGrid } from "../../model/stages.ts";
import { useFlatTable } from "../../state/documents.ts";
import { route, setMore } from "../../state/route.ts";
import { Card, Loaded, Segments } from "../parts.tsx";

function Type({ name, where = "" }: { name: string; where?: string }) {
  const { hue, title } = lookOf(TYPES, name);
  return <th scope="row"><Swatch hue={hue} />{title}
    {where && <span class="quiet"> {where}</span>}</th>;
}

function ByType({ doc }: { doc: SummaryDoc }) {
  const host = doc.overview.cpu.filter((row) => !(row.type in STAGES));
  const device = doc.overview.gpu;
  // A kind that both have is told apart.
  const both = new Set(host.map((row) => row.type)
    .filter((type) => device.some((row) => row.type === type)));
  const rows = [...host.map((row) => ({ ...row, where: "CPU" })),
    ...device.map((row) => ({ ...row, where: "GPU" }))];
  return (
    <table class="plain wraps">
      <thead><tr>
        <th scope="col">Type</th><th scope="col" class="num">Calls</th>
        <th scope="col" class="num">Busy time</th>
        <th scope="col" class="num" title={"busy time within the steps, over " +
          "the time of all steps"}>{doc.steps.length > 0
            ? "Of all steps" : "Of the window"}</th>
      </tr></thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.type + row.where} data-type={row.type}>
            <Type name={row.type} where={both.has(row.type) ? row.where : ""} />
            <td class="num">{formatCount(row.calls)}</td>
            <td class="num">{formatTime(row.time_ns)}</td>
            <td class="num quiet">{formatShare(row.ratio)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Shown = "time" | "calls" | "share";

function cellText(cell: TypeStage | null, shown: Shown): string {
  if (!cell) return "–";
  return shown === "time" ? formatTime(cell.time_ns)
    : shown === "calls" ? formatCount(cell.calls) : formatShare(cell.ratio);
}

function ByStage({ rows, device, shown }: {
  rows: TypeStage[]; device: boolean; shown: Shown;
}) {
  const grid = typeGrid(rows, device);
  if (grid.types.length === 0) return null;
  return (
    <table class="plain">
      <thead><tr>
        <th scope="col">{device ? "On the GPU" : "On the CPU"}</th>
        {grid.stages.map((stage) => (
          <th key={stage} scope="col" class="num">
            {lookOf(STAGES, stage).title}</th>
        ))}
      </tr></thead>
      <tbody>
        {grid.types.map(({ type, cells }) => (
          <tr key={type}>
            <Type name={type} />
            {cells.map((cell, i) => (
              <td key={i} class="num barred" title={cell
                ? `${formatCount(cell.calls)} calls, ` +
                  `${formatTime(cell.time_ns)}` : undefined}>
                {cellText(cell, shown)}
                {cell && <Bar share={cell.ratio}
                  colour={lookOf(TYPES, type).hue} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function EventsCard({ doc }: { doc: SummaryDoc }) {
  const mode = route.value.more["events"] ?? "";
  const stages = useFlatTable("type_stages", mode ? {} : null);
  const shown = (mode || "time") as Shown;
  return (
    <Card title="Events"
      actions={<Segments label="Events" value={mode} options={[
        { value: "", text: "By type" }, { value: "time", text: "By stage" },
        { value: "calls", text: "Calls" }, { value: "share", text: "Share" },
      ]} onPick={(value) => setMore("events", value)} />}>
      {mode ? (
        <Loaded what="Events by stage" load={stages}>
          {(data) => {
            const rows = objectsOf<TypeStage>(data);
            return (
              <>
                <ByStage rows={rows} device={false} shown={shown} />
                <ByStage rows={rows} device shown={shown} />
              </>
            );
          }}
        </Loaded>
      ) : <ByType doc={doc} />}
    </Card>
  );
}

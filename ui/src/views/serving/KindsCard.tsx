// SPDX-License-Identifier: Apache-2.0
//
// Iterations by kind: the table that `stepscope summary --views iterations`
// prints.
import { useMemo } from "preact/hooks";
import type { FlatTable, ServingInfo } from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { ITERATIONS } from "../../generated/looks.ts";
import { fromFlat } from "../../model/declared.ts";
import { lookOf } from "../../model/palette.ts";
import type { Cell, Column } from "../../model/table.ts";
import { Table } from "../../table/Table.tsx";
import { Card } from "../parts.tsx";

const USUAL = ["kind", "count", "requests", "tokens_per_s", "period_ns.p50",
  "period_ns.p99", "host_p50_ns", "gpu_busy_p50_ns"];

export function KindName({ kind }: { kind: string }) {
  const { hue, title } = lookOf(ITERATIONS, kind);
  return <span class="kind"><Swatch hue={hue} />{title}</span>;
}

/** Whether a column says something where no device was recorded. */
const OF_DEVICE = new RegExp("^(gpu_|idle_ns\\.|late_ns|ran_in_next_ratio|" +
  "kernels|launches|graphs)");
export const isOfHost = (key: string) => !OF_DEVICE.test(key);

/** A kind with its colour, wherever a table has one. */
const kindLook = (cell: Cell, column: Column) =>
  column.key === "kind" && typeof cell === "string"
    ? <KindName kind={cell} /> : undefined;

export function useFlat(table: FlatTable) {
  return useMemo(() => fromFlat(table), [table]);
}

export function KindsCard({ info }: { info: ServingInfo }) {
  const data = useFlat(info.kinds);
  return (
    <Card class="table-card own-height" title="Iterations by kind"
      detail={"from the start of one to the start of the next, with the GPU " +
        "time of what they launched"}>
      <Table label="Iterations by kind" data={data} prefix="kind."
        usual={info.busy_ns > 0 ? USUAL : USUAL.filter(isOfHost)}
        usualSort="count" look={kindLook} rows={data.count} />
    </Card>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// All steps over each other: where in a step an event begins and how long it
// takes, as the middle and the band of all steps.
import type { Cell, Column, Data } from "../../model/table.ts";
import { columnIndex } from "../../model/table.ts";
import { foldedBox } from "../../model/folded.ts";
import { shortName } from "../../model/names.ts";
import { viewOf } from "../../model/sql.ts";
import { percent } from "../../model/shares.ts";
import { Name } from "../../shell/Name.tsx";
import { chosenSteps, useFlatTable } from "../../state/documents.ts";
import { cellsOf, showOnTimeline } from "../../state/locate.ts";
import { Table } from "../../table/Table.tsx";
import { Loaded } from "../parts.tsx";

function look(cell: Cell, column: Column, data: Data, row: number) {
  if (column.key === "name" && typeof cell === "string")
    return <Name text={cell} short={shortName(cell)} />;
  if (column.key !== "band") return undefined;
  const number = (key: string) => {
    const value = data.cell(row, columnIndex(data, key));
    return typeof value === "number" ? value : 0;
  };
  const box = foldedBox(number("start.p5_ns"), number("start.p50_ns"),
    number("start.p95_ns"), number("dur.p50_ns"), number("dur.p95_ns"),
    Number(cell ?? 1));
  return (
    <span class="fold" aria-hidden="true">
      <i style={{ left: percent(box.bandX), width: percent(box.bandW) }} />
      <b style={{ left: percent(box.x), width: percent(box.w) }} />
    </span>
  );
}

export function Folded() {
  const load = useFlatTable("folded_steps");
  return (
    <Loaded what="The folded steps" load={load}>
      {(data) => (
        <Table label="Folded steps" data={data} prefix="fold." look={look}
          sql={viewOf("folded_steps")}
          usual={["name", "band", "place", "steps", "start.p50_ns",
            "dur.p5_ns", "dur.p50_ns", "dur.p95_ns"]}
          usualSort="dur.p50_ns"
          empty="It takes two steps to lay one over the other."
          onShow={(shown, row) => void showOnTimeline(
            "folded_steps", String(shown.cell(row, 0)),
            { ...cellsOf(shown, row, ["place", "number"]),
              steps: chosenSteps() })} />
      )}
    </Loaded>
  );
}

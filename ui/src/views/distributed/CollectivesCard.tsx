// SPDX-License-Identifier: Apache-2.0
//
// Collectives with how fast they are, beside the peak of a link that the
// reader states.
import { useMemo } from "preact/hooks";
import type { FlatTable } from "../../generated/answers.ts";
import { fromFlat } from "../../model/declared.ts";
import { tableOf } from "../../model/sql.ts";
import { columnIndex, type Data } from "../../model/table.ts";
import { route } from "../../state/route.ts";
import { Table } from "../../table/Table.tsx";
import { Card } from "../parts.tsx";
import { PeakField } from "../PeakField.tsx";

const Peak = () => (
  <PeakField param="peak" text="Peak of a link, GB/s"
    hint={"The most that a link between ranks can carry in each direction; " +
      "the table then shows the share that is used"} />
);

/** Of several ranks, or of one. */
export function CollectivesTable({ data, onShow }: {
  data: Data; onShow: (kind: string) => void;
}) {
  const peak = Boolean(route.value.more["peak"]);
  const kind = columnIndex(data, "kind");
  return (
    <Card title="Collectives" class="rank-table" actions={<Peak />}
      detail="bandwidth by the formula of nccl-tests, from recorded sizes">
      <Table label="Collectives" data={data} prefix="collectives." rows={10}
        empty="No collectives were recorded."
        sql={{ ...tableOf("collectives"),
          why: peak ? "SQL does not know the peak of a link" : "" }}
        usual={["kind", "group", "ranks", "group_size", "bytes", "calls",
          "time_ns", "algorithm_bandwidth", "bus_bandwidth",
          ...peak ? ["peak_ratio"] : [], "wait_ns", "transfer_ns"]}
        onShow={(shown, row) => onShow(String(shown.cell(row, kind)))} />
    </Card>
  );
}

export function CollectivesCard({ flat, onShow }: {
  flat: FlatTable; onShow: (kind: string) => void;
}) {
  const data = useMemo(() => fromFlat(flat), [flat]);
  return <CollectivesTable data={data} onShow={onShow} />;
}

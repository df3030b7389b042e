// SPDX-License-Identifier: Apache-2.0
//
// All that a search finds, as a table; a row leads to its event.
import { useMemo } from "preact/hooks";
import { formatCount } from "../../model/format.ts";
import { hitRows } from "../../model/hit_rows.ts";
import { useAnswer } from "../../state/load.ts";
import { route } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { Loaded } from "../parts.tsx";
import type { Controller } from "./controller.ts";
import type { HitsInfo } from "../../generated/answers.ts";

function Rows({ found, controller }: {
  found: HitsInfo;
  controller: Controller | null;
}) {
  const info = trace.value?.info;
  const data = useMemo(() => hitRows(found, info?.tracks ?? [],
    info?.groups ?? []), [found, info]);
  return (
    <>
      {found.count > found.rows.length && <p class="note">The first {
        formatCount(found.rows.length)} of {formatCount(found.count)}. A
        longer text finds fewer.</p>}
      <Table label="Matches" data={data} prefix="hit." ascending
        usual={["name", "start", "dur", "track"]} usualSort="start"
        empty="No event has this in its name."
        onRow={(_, at) => void controller?.select(found.rows[at]!.row,
          { move: true })} />
    </>
  );
}

export function HitList({ controller }: { controller: Controller | null }) {
  const open = trace.value;
  const load = useAnswer("hits", open && !open.info.preview
    ? { t: open.t, q: route.value.query } : null);
  return (
    <Loaded what="The matches" load={load}>
      {(found) => <Rows found={found} controller={controller} />}
    </Loaded>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// What the critical path is made of, and the piece that is looked at.
import { PATHS } from "../../generated/looks.ts";
import { Swatch } from "../../charts/charts.tsx";
import { formatCount, formatTime } from "../../model/format.ts";
import { shortName } from "../../model/names.ts";
import { lookOf } from "../../model/palette.ts";
import { Icon } from "../../shell/icons.tsx";
import { useFlatTable } from "../../state/documents.ts";
import { shareLook } from "../../table/looks.tsx";
import { Table } from "../../table/Table.tsx";
import { Loaded } from "../parts.tsx";
import type { Controller } from "./controller.ts";
import * as s from "./store.ts";

function Piece() {
  const at = s.pathAt.value;
  const piece = s.path.value[at ?? -1];
  const count = formatCount(s.path.value.length);
  if (!piece || at === null)
    return <p class="quiet">{count} pieces, each waiting for the one before
      it. What is not on the path went on beside it.</p>;
  const { hue, title } = lookOf(PATHS, piece.category ?? "");
  return (
    <p class="piece"><Swatch hue={hue} />
      <b class="mono" title={piece.why}>{shortName(piece.why)}</b>
      <span class="quiet">{title} · {formatTime(piece.dur)} ·{" "}
        {formatCount(at + 1)} of {count}</span></p>
  );
}

const look = shareLook("kernel");

export function PathList({ controller }: { controller: Controller | null }) {
  const load = useFlatTable("critical_path", { steps: "settled" });
  return (
    <>
      <div class="row">
        <button class="button" onClick={() => controller?.stepPath(-1)}>
          <Icon name="left" />Previous <kbd>,</kbd></button>
        <button class="button" onClick={() => controller?.stepPath(1)}>
          Next <kbd>.</kbd><Icon name="right" /></button>
      </div>
      <Piece />
      <Loaded what="The critical path" load={load}>
        {(data) => <Table label="Critical path" data={data} prefix="path."
          usual={["name", "time_ns", "ratio", "category"]}
          usualSort="time_ns" look={look}
          empty="This trace has no critical path: no step is recorded." />}
      </Loaded>
    </>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// Looks of cells that several tables share.
import type { ComponentChildren } from "preact";
import { Swatch } from "../charts/charts.tsx";
import type { Hue } from "../generated/looks.ts";
import { formatShare } from "../model/format.ts";
import { rankHue } from "../model/job.ts";
import { shortName } from "../model/names.ts";
import { cssVar } from "../model/palette.ts";
import { Name } from "../shell/Name.tsx";
import { partOf, percent } from "../model/shares.ts";
import type { Cell, Column, Data } from "../model/table.ts";

type Look = (cell: Cell, column: Column, data: Data, row: number)
  => ComponentChildren | undefined;

function ShareBar({ share, colour }: {
  share: number; colour: Hue;
}) {
  return (
    <span class="share-bar">
      <i aria-hidden="true"><b style={{
        width: percent(partOf(share, 1)),
        background: cssVar(colour) }} /></i>
      <span>{formatShare(share)}</span>
    </span>
  );
}

/** The number of a rank beside its colour. */
export const RankMark = ({ rank }: { rank: number }) =>
  <span class="rank"><Swatch hue={rankHue(rank)} />{rank}</span>;
export const rankLook: Look = (cell, column) =>
  column.key === "rank" && typeof cell === "number"
    ? <RankMark rank={cell} /> : undefined;

/** Columns that hold names of code. */
const NAMES = new Set(["name", "operator"]);

/** Shares as bars, names of kernels short. */
export function shareLook(colour: Hue): Look {
  return (cell, column) => {
    if (typeof cell === "number" && column.key.endsWith("ratio"))
      return <ShareBar share={cell}
        colour={column.key.startsWith("gpu") ? "kernel" : colour} />;
    if (typeof cell === "string" && NAMES.has(column.key))
      return <Name text={cell} short={shortName(cell)} />;
    return undefined;
  };
}

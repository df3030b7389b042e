// SPDX-License-Identifier: Apache-2.0
//
// Looks of cells that several tables share.
import type { ComponentChildren } from "preact";
import { formatShare } from "../model/format.ts";
import { shortName } from "../model/names.ts";
import { partOf, percent } from "../model/shares.ts";
import type { Cell, Column, Data } from "../model/table.ts";

type Look = (cell: Cell, column: Column, data: Data, row: number)
  => ComponentChildren | undefined;

export function ShareBar({ share, colour }: {
  share: number; colour: string;
}) {
  return (
    <span class="share-bar">
      <i aria-hidden="true"><b style={{
        width: percent(partOf(share, 1)),
        background: `var(--c-${colour})` }} /></i>
      <span>{formatShare(share)}</span>
    </span>
  );
}

/** Shares as bars, names of kernels short. */
export function shareLook(colour: string): Look {
  return (cell, column) => {
    if (typeof cell === "number" && column.key.endsWith("ratio"))
      return <ShareBar share={cell}
        colour={column.key.startsWith("gpu") ? "kernel" : colour} />;
    if (typeof cell === "string" && column.key === "name")
      return <span class="name">{shortName(cell)}</span>;
    return undefined;
  };
}

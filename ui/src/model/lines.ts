// SPDX-License-Identifier: Apache-2.0
//
// The lines of a table on screen: its rows, and below an opened row what is
// inside it. Pure.
import type { Data } from "./table.ts";

export interface Line {
  data: Data;
  row: number;
  depth: number;
  /** Names the line among all: "12", "12.0". */
  id: string;
  open: boolean;
  hasInner: boolean;
}

export interface Lines {
  count: number;
  at(index: number): Line;
  /** Where the line of that name is; -1: it is not there. */
  find(id: string): number;
}

function lineOf(data: Data, row: number, depth: number, id: string,
  open: Set<string>): Line {
  const hasInner = data.inner?.(row) != null;
  return { data, row, depth, id, hasInner, open: hasInner && open.has(id) };
}

/** The rows of what is inside a row, in the order of the table. */
type InnerOrder = (inside: Data) => Iterable<number>;

const asTheyCome: InnerOrder = ({ count }) =>
  Array.from({ length: count }, (_, row) => row);

function addInner(line: Line, open: Set<string>, into: Line[],
  orderOf: InnerOrder): void {
  const inside = line.open ? line.data.inner!(line.row) : null;
  if (!inside) return;
  for (const row of orderOf(inside)) {
    const child = lineOf(inside, row, line.depth + 1, `${line.id}.${row}`,
      open);
    into.push(child);
    addInner(child, open, into, orderOf);
  }
}

export function linesOf(
  data: Data, order: Uint32Array, open: Set<string>,
  innerOrder: InnerOrder = asTheyCome): Lines {
  // A million closed rows need no list of lines.
  if (open.size === 0)
    return {
      count: order.length,
      at: (i) => lineOf(data, order[i]!, 0, String(order[i]), open),
      find: (id) => /^\d+$/.test(id) ? order.indexOf(Number(id)) : -1,
    };
  const lines: Line[] = [];
  for (const row of order) {
    const line = lineOf(data, row, 0, String(row), open);
    lines.push(line);
    addInner(line, open, lines, innerOrder);
  }
  return { count: lines.length, at: (i) => lines[i]!,
    find: (id) => lines.findIndex((line) => line.id === id) };
}

// SPDX-License-Identifier: Apache-2.0
//
// The one table of the page: any number of rows, of which only the visible
// ones are elements; sort, search, columns, units, copy, CSV, and "show on
// timeline". How it is looked at stands in the address.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { formatCount } from "../model/format.ts";
import { linesOf } from "../model/lines.ts";
import type { SqlSource } from "../model/sql.ts";
import {
  columnIndex, filterRows, isBadPattern, isWithoutCounters, sortRows,
  type Cell, type Column, type Data,
} from "../model/table.ts";
import {
  applied, readState, writeState, type TableState,
} from "../model/table_state.ts";
import { navigate, route } from "../state/route.ts";
import { Prose } from "../shell/Prose.tsx";
import { Body } from "./Body.tsx";
import { Toolbar } from "./Toolbar.tsx";

interface TableProps {
  /** Names it for people who hear it, and its CSV. */
  label: string;
  data: Data;
  /** Keys of the columns shown at first. */
  usual: string[];
  usualSort?: string;
  usualTop?: number;
  ascending?: boolean;
  /** Tells tables of one page apart in the address. */
  prefix?: string;
  /** Shows a row on the timeline. */
  onShow?: ((data: Data, row: number) => void) | undefined;
  onRow?: (data: Data, row: number) => void;
  /** Own look of a cell; undefined: the usual one. */
  look?: (cell: Cell, column: Column, data: Data, row: number)
    => ComponentChildren | undefined;
  /** Controls before the search. */
  children?: ComponentChildren;
  /** What to say when there is no row at all. */
  empty?: string;
  /** Fixed height in rows; else it fills the room that it has. */
  rows?: number;
  /** A control for the first N. */
  topK?: boolean;
  /** Where SQL has these rows: an equivalent query. */
  sql?: SqlSource | undefined;
}

/** Numbers of the shown columns, in the order of the declaration. */
export function shownColumns(data: Data, keys: string[]): number[] {
  const found = keys.map((key) => columnIndex(data, key))
    .filter((at) => at >= 0);
  return found.length > 0 ? found : data.columns.map((_, i) => i);
}

export function Table(props: TableProps) {
  const { data, prefix = "" } = props;
  const usual: Partial<TableState> = {
    sort: props.usualSort ?? "", descending: !props.ascending,
    top: props.usualTop ?? 0,
  };
  const state = readState(route.value.more, prefix, usual);
  const open = useSignal<Set<string>>(new Set());
  const change = (part: Partial<TableState>) =>
    navigate({ more: applied(route.value.more, writeState(prefix, part)) });
  const order = useMemo(() => {
    const kept = filterRows(data, state.find);
    const column = columnIndex(data, state.sort);
    const sorted = column < 0 ? kept
      : sortRows(data, kept, column, state.descending);
    return state.top > 0 ? sorted.slice(0, state.top) : sorted;
  }, [data, state.find, state.sort, state.descending, state.top]);
  const lines = useMemo(() => linesOf(data, order, open.value, (inside) =>
    sortRows(inside, filterRows(inside, ""), columnIndex(inside, state.sort),
      state.descending)), [data, order, open.value]);
  const columns = useMemo(() => state.columns.length > 0
    ? shownColumns(data, state.columns)
    : shownColumns(data, props.usual)
      .filter((at) => !isWithoutCounters(data, at)),
  [data, state.columns.join(), props.usual.join()]);
  const toggle = (id: string) => {
    const next = new Set(open.value);
    if (!next.delete(id)) next.add(id);
    open.value = next;
  };
  return (
    <div class="table-box">
      <Toolbar label={props.label} data={data} order={order}
        columns={columns} usual={props.usual} state={state} change={change}
        topK={props.topK ?? false} sql={props.sql}>
        {props.children}
      </Toolbar>
      {data.count === 0
        ? <p class="nothing">
          <Prose text={props.empty ?? "Nothing was recorded."} /></p>
        : order.length === 0
          ? <p class="nothing" role="status">
            {isBadPattern(state.find)
              ? <><code>{state.find}</code> is not a regular expression</>
              : <>No row has <code>{state.find}</code></>}.{" "}
            <button class="link" onClick={() => change({ find: "" })}>
              Show all {formatCount(data.count)}</button></p>
        : <Body label={props.label} lines={lines} data={data}
          columns={columns} state={state} change={change} toggle={toggle}
          onShow={props.onShow} onRow={props.onRow} look={props.look}
          rows={props.rows} />}
    </div>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// Head and visible rows of a table, in one box that scrolls both ways.
import { useSignal } from "@preact/signals";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { cellText, tsvOf } from "../model/cell.ts";
import type { Line, Lines } from "../model/lines.ts";
import {
  isNumeric, type Cell, type Column, type Data,
} from "../model/table.ts";
import type { TableState } from "../model/table_state.ts";
import {
  isScaled, ROW_HEIGHT, scrollFor, spacerHeight, topRow, topToSee,
  visibleSpan,
} from "../model/windowing.ts";
import { gridOf } from "../model/widths.ts";
import { Icon } from "../shell/icons.tsx";
import { Name } from "../shell/Name.tsx";
import { Head } from "./Head.tsx";
import { copyText } from "./Toolbar.tsx";

export interface BodyProps {
  label: string;
  lines: Lines;
  data: Data;
  columns: number[];
  state: TableState;
  change: (part: Partial<TableState>) => void;
  toggle: (id: string) => void;
  onShow: ((data: Data, row: number) => void) | undefined;
  onRow: ((data: Data, row: number) => void) | undefined;
  look: ((cell: Cell, column: Column, data: Data, row: number)
    => ComponentChildren | undefined) | undefined;
  rows: number | undefined;
}

/** Columns that hold names of code. */
const NAMES = new Set(["name", "operator", "allocated_by", "freed_by"]);

function CellView({ line, column, index, first, props }: {
  line: Line; column: Column; index: number; first: boolean; props: BodyProps;
}) {
  const cell = line.data.cell(line.row, index);
  const text = cellText(cell, column, props.state.unit);
  const own = props.look?.(cell, column, line.data, line.row);
  return (
    <div role="gridcell" title={column.type === "text" ? text : undefined}
      class={isNumeric(column) ? "number" : column.type}>
      {first && line.depth > 0 && <span class={`indent d${line.depth}`} />}
      {first && line.hasInner && (
        <button class="opener" tabIndex={-1} aria-expanded={line.open}
          aria-label={line.open ? "Close" : "Open"}
          onClick={(event) => {
            event.stopPropagation();
            props.toggle(line.id);
          }}><Icon name={line.open ? "down" : "right"} /></button>
      )}
      {own !== undefined ? own
        : NAMES.has(column.key) ? <Name text={text} />
          : <span class="cell-text">{text}</span>}
    </div>
  );
}

/** Room for rows, below the head. */
const heightOf = (box: HTMLElement) =>
  Math.max(ROW_HEIGHT, box.clientHeight - 30);

export function Body(props: BodyProps) {
  const { lines, data, columns, state, onShow } = props;
  const box = useRef<HTMLDivElement>(null);
  const scroll = useSignal(0);
  const height = useSignal(400);
  const width = useSignal(Infinity);
  // A row, not a place: it is the same one when the order is another.
  const chosen = useSignal<{ data: Data; id: string } | null>(null);
  const id = useId();
  const dragged = useSignal<Record<string, number>>({});
  const widths = { ...state.widths, ...dragged.value };
  const grid = useMemo(() => gridOf(data, columns, state.unit, widths),
    [data, columns.join(), state.unit, JSON.stringify(widths)]);
  const place = () => chosen.value?.data === data
    ? lines.find(chosen.value.id) : -1;
  const active = useMemo(place, [lines, data, chosen.value]);
  const span = visibleSpan(scroll.value, height.value, lines.count);

  const top = () => topRow(scroll.value, height.value, lines.count);
  const scrollTo = (row: number) => {
    scroll.value = scrollFor(row, height.value, lines.count);
    box.current!.scrollTop = scroll.value;
  };
  const reveal = (row: number) => {
    const wanted = topToSee(row, top(), height.value);
    if (wanted !== top()) scrollTo(wanted);
  };
  // A chosen row stays in sight when the box becomes lower.
  const fit = () => {
    if (!box.current) return;  // the table has gone, the news come late
    width.value = box.current.clientWidth;
    const next = heightOf(box.current);
    if (next === height.value) return;
    const at = place();
    const wasSeen = at >= 0 && topToSee(at, top(), height.value) === top();
    height.value = next;
    if (wasSeen) reveal(at);
  };
  const latestFit = useRef(fit);
  latestFit.current = fit;
  useEffect(() => {
    const watch = new ResizeObserver(() => latestFit.current());
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);

  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(lines.count - 1, index));
    chosen.value = { data, id: lines.at(next).id };
    reveal(next);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== box.current) return;
    fit();  // a key may come before the news of a new height
    const page = Math.max(1, Math.floor(height.value / ROW_HEIGHT) - 1);
    // Asked now: keys may be faster than frames.
    const at = place();
    const line = at >= 0 && at < lines.count ? lines.at(at) : null;
    switch (event.key) {
      case "ArrowDown": moveTo(at + 1); break;
      case "ArrowUp": moveTo(at - 1); break;
      case "PageDown": moveTo(at + page); break;
      case "PageUp": moveTo(at - page); break;
      case "Home": moveTo(0); break;
      case "End": moveTo(lines.count - 1); break;
      case "ArrowRight":
        if (!line?.hasInner || line.open) return;
        props.toggle(line.id);
        break;
      case "ArrowLeft":
        if (!line?.open) return;
        props.toggle(line.id);
        break;
      case "Enter":
        if (!line) return;
        if (onShow) onShow(line.data, line.row);
        else if (props.onRow) props.onRow(line.data, line.row);
        break;
      case "c":
        if (!line || !(event.ctrlKey || event.metaKey)) return;
        void copyText(tsvOf(
          line.data, [line.row], columns, state.unit, false), "the row");
        break;
      default: return;
    }
    event.preventDefault();
  };
  const onWheel = (event: WheelEvent) => {
    // A capped scroll bar would jump by thousands of rows at each notch.
    if (!isScaled(lines.count) || event.shiftKey || event.deltaX) return;
    event.preventDefault();
    fit();
    scrollTo(top() + event.deltaY / ROW_HEIGHT);
  };
  const shown: Line[] = [];
  for (let i = span.first; i < span.last; i++) shown.push(lines.at(i));
  const fixed = props.rows
    ? { height: `${Math.min(props.rows, lines.count) * ROW_HEIGHT + 32}px`,
      flex: "none" }
    : {};
  return (
    <div class={"t-box" + (width.value < grid.least ? " sideways" : "")}
      ref={box} tabIndex={0} role="grid"
      aria-label={props.label} aria-rowcount={lines.count + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={active >= span.first &&
        active < span.last ? `${id}-${active}` : undefined}
      style={{ ...fixed, "--columns": grid.template,
        "--least": `${grid.least}px` }}
      onKeyDown={onKey} onWheel={onWheel}
      onScroll={(event) => {
        // Our own steps are finer than the pixels that come back.
        const at = event.currentTarget.scrollTop;
        if (Math.abs(at - scroll.value) >= 1) scroll.value = at;
      }}>
      <Head {...props} grid={grid} box={box} preview={(next) => {
        dragged.value = next;
      }} />
      <div class="t-spacer" role="rowgroup"
        style={{ height: `${spacerHeight(lines.count)}px` }}>
        <div class="t-rows" role="presentation"
          style={{ transform: `translateY(${span.offset}px)` }}>
          {shown.map((line, i) => {
            const index = span.first + i;
            return (
              <div key={line.id} id={`${id}-${index}`} role="row"
                aria-rowindex={index + 2}
                class={"t-row" + (index === active ? " active" : "") +
                  (line.depth > 0 ? " inside" : "")}
                onClick={() => {
                  chosen.value = { data, id: line.id };
                  props.onRow?.(line.data, line.row);
                }}
                onDblClick={() => line.hasInner && props.toggle(line.id)}>
                {columns.map((c, at) => (
                  <CellView key={c} line={line} index={c} first={at === 0}
                    column={line.data.columns[c]!} props={props} />
                ))}
                <div role="gridcell" class="go">
                  {onShow && (
                    <button tabIndex={-1} title="Show on timeline"
                      aria-label="Show on timeline" onClick={(event) => {
                        event.stopPropagation();
                        onShow(line.data, line.row);
                      }}><Icon name="trace" /></button>
                  )}
                </div>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

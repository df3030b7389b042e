// SPDX-License-Identifier: Apache-2.0
//
// The head of a table: sort by a click, widths by dragging or by Shift and the
// arrow keys. The sorted column is always in sight.
import { useEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";
import { headText } from "../model/cell.ts";
import { isNumeric } from "../model/table.ts";
import { LEAST_WIDTH, type gridOf } from "../model/widths.ts";
import { Icon } from "../shell/icons.tsx";
import type { BodyProps } from "./Body.tsx";

const KEY_STEP = 24;

interface HeadProps extends BodyProps {
  grid: ReturnType<typeof gridOf>;
  box: RefObject<HTMLDivElement | null>;
  /** Shows a width while it is dragged; the address waits. */
  preview: (widths: Record<string, number>) => void;
}

/** Scrolls sideways so that a column is between those that stay. */
function showColumn(box: HTMLElement, head: HTMLElement): void {
  const cell = head.querySelector<HTMLElement>(
    "[aria-sort=ascending], [aria-sort=descending]");
  const first = head.firstElementChild as HTMLElement | null;
  const last = head.lastElementChild as HTMLElement | null;
  if (!cell || !first || !last || cell === first) return;
  const room = box.clientWidth - last.offsetWidth;
  const right = cell.offsetLeft + cell.offsetWidth;
  if (right > box.scrollLeft + room) {
    // No other one is cut beside the first.
    const edges = [...head.children].slice(1).map((one) =>
      (one as HTMLElement).offsetLeft - first.offsetWidth);
    box.scrollLeft = edges.find((edge) => edge >= right - room) ??
      right - room;
  } else if (cell.offsetLeft < box.scrollLeft + first.offsetWidth) {
    box.scrollLeft = cell.offsetLeft - first.offsetWidth;
  }
}

export function Head(props: HeadProps) {
  const { data, columns, state, change, onShow, grid, box, preview } = props;
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current && head.current) showColumn(box.current, head.current);
  }, [state.sort, columns.join(), data, JSON.stringify(state.widths)]);

  const setWidth = (key: string, width: number) => change({ widths:
    { ...state.widths, [key]: Math.max(LEAST_WIDTH, width) } });
  const grip = (key: string) => (event: PointerEvent &
    { currentTarget: HTMLElement }) => {
    const handle = event.currentTarget;
    const from = event.clientX;
    const start = handle.parentElement!.offsetWidth;
    const widthAt = (next: PointerEvent) =>
      Math.max(LEAST_WIDTH, start + next.clientX - from);
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      preview({ [key]: widthAt(next) });
    };
    const up = (next: PointerEvent) => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", up);
      preview({});
      if (next.clientX !== from) setWidth(key, widthAt(next));
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", up);
  };
  const onKey = (key: string, at: number) => (event: KeyboardEvent) => {
    const by = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key];
    if (!by || !event.shiftKey) return;
    event.preventDefault();
    setWidth(key, grid.widths[at]! + by);
  };
  return (
    <div class="t-head" role="row" aria-rowindex={1} ref={head}>
      {columns.map((c, at) => {
        const column = data.columns[c]!;
        const sorted = state.sort === column.key;
        return (
          <div key={column.key} role="columnheader"
            class={isNumeric(column) ? "number" : ""}
            aria-sort={sorted
              ? state.descending ? "descending" : "ascending" : "none"}>
            <button title={`${column.meaning}\nShift+← and Shift+→: width`}
              onKeyDown={onKey(column.key, at)} onClick={() => change({
                sort: column.key,
                descending: sorted ? !state.descending : isNumeric(column),
              })}>
              <span>{headText(column, state.unit)}</span>
              {sorted && <Icon name={state.descending ? "down" : "up"} />}
            </button>
            <i class="grip" aria-hidden="true"
              onPointerDown={grip(column.key)} />
          </div>
        );
      })}
      <div role="columnheader">
        <span class="hidden">{onShow ? "Show on timeline" : "Nothing"}</span>
      </div>
    </div>
  );
}

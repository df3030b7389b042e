// SPDX-License-Identifier: Apache-2.0
//
// Cards in columns, each right below the one above it, so that a long card
// leaves no hole beside it. A grid of low rows: a card takes as many of them as
// it is high, and the browser puts it into the first place that is free.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";

const ROW = 4;
const GAP = 12;

/** Without a column: wherever there is room first. */
export function Tile({ column = "free", children }: {
  column?: "main" | "side" | "all" | "free";
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useSignal(1);
  useEffect(() => {
    const element = box.current!;
    const watch = new ResizeObserver(() => {
      const height = element.offsetHeight;
      rows.value = height ? Math.ceil((height + GAP) / ROW) : 1;
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return (
    <div class={`tile ${column}`} style={{ gridRowEnd: `span ${rows.value}` }}>
      <div ref={box}>{children}</div>
    </div>
  );
}

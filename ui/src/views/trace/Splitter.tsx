// SPDX-License-Identifier: Apache-2.0
//
// Between the tracks and the details: how much of the screen each has. Kept
// for the next visit.
import { signal } from "@preact/signals";

const KEY = "stepscope.details";
const LEAST = 90;
const KEY_STEP = 24;
/** Of the window's height: the tracks are never gone. */
const MOST_SHARE = 0.6;

function stored(): number | null {
  try {
    const height = Number(localStorage.getItem(KEY));
    return height >= LEAST ? height : null;
  } catch {
    return null;
  }
}

/** In pixels; null: as the style sheet has it. */
export const detailsHeight = signal<number | null>(stored());

function setHeight(wanted: number): void {
  const height = Math.round(
    Math.max(LEAST, Math.min(innerHeight * MOST_SHARE, wanted)));
  detailsHeight.value = height;
  try {
    localStorage.setItem(KEY, String(height));
  } catch {
    // It holds for this page.
  }
}

const below = (handle: HTMLElement) =>
  (handle.nextElementSibling as HTMLElement | null)?.offsetHeight ?? 0;

export function Splitter() {
  return (
    <div class="splitter" role="separator" tabIndex={0}
      aria-orientation="horizontal" aria-label="Height of the details"
      aria-valuemin={LEAST} aria-valuemax={Math.round(innerHeight * MOST_SHARE)}
      aria-valuenow={detailsHeight.value ?? 214}
      title="Drag, or use the arrow keys"
      onKeyDown={(event) => {
        const by = { ArrowUp: KEY_STEP, ArrowDown: -KEY_STEP }[event.key];
        if (!by) return;
        event.preventDefault();
        setHeight(below(event.currentTarget) + by);
      }}
      onPointerDown={(event) => {
        const handle = event.currentTarget;
        const start = below(handle);
        const from = event.clientY;
        handle.setPointerCapture(event.pointerId);
        const move = (next: PointerEvent) =>
          setHeight(start + from - next.clientY);
        const up = () => {
          handle.removeEventListener("pointermove", move);
          handle.removeEventListener("pointerup", up);
        };
        handle.addEventListener("pointermove", move);
        handle.addEventListener("pointerup", up);
      }} />
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// A short word about what was just done, and a way to take it back.
import { signal } from "@preact/signals";

interface Undo {
  text: string;
  run: () => void;
}
const shown = signal<{ text: string; undo: Undo | null } | null>(null);
let timer = 0;

export function toast(text: string, undo: Undo | null = null): void {
  shown.value = { text, undo };
  clearTimeout(timer);
  // Longer where there is something to decide.
  timer = window.setTimeout(() => {
    shown.value = null;
  }, undo ? 10_000 : 3500);
}

export function Toast() {
  const now = shown.value;
  return (
    <div role="status" aria-live="polite">
      {now && <div class="toast">{now.text}
        {now.undo && <button class="link" onClick={() => {
          shown.value = null;
          now.undo!.run();
        }}>{now.undo.text}</button>}
      </div>}
    </div>
  );
}

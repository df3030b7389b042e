// SPDX-License-Identifier: Apache-2.0
//
// What opens over the page closes by a press outside of it and by Escape.
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

export function useDismiss(box: RefObject<HTMLElement | null>, shown: boolean,
  close: () => void): void {
  // Before it is seen, and so before anybody can press a key.
  useLayoutEffect(() => {
    if (!shown) return;
    const away = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) close();
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      close();
      // To what opened it, not to the top of the page.
      if (box.current?.contains(document.activeElement))
        box.current.querySelector<HTMLElement>("button, summary")?.focus();
    };
    addEventListener("pointerdown", away);
    addEventListener("keydown", escape);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("keydown", escape);
    };
  }, [shown]);
}

// SPDX-License-Identifier: Apache-2.0
//
// A short word about what was just done.
import { signal } from "@preact/signals";

const text = signal("");
let timer = 0;

export function toast(message: string): void {
  text.value = message;
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    text.value = "";
  }, 3500);
}

export function Toast() {
  return (
    <div role="status" aria-live="polite">
      {text.value && <div class="toast">{text.value}</div>}
    </div>
  );
}

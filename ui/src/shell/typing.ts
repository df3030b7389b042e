// SPDX-License-Identifier: Apache-2.0

/** True where letters are text, not commands. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.tagName === "INPUT" || target.tagName === "SELECT" ||
      target.tagName === "TEXTAREA");
}

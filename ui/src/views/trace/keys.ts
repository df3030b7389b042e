// SPDX-License-Identifier: Apache-2.0
//
// The keys of the timeline. w, a, s and d move as long as they are held.
import { frameTime, panShare, TAP_MS, zoomFactor } from
  "../../model/motion.ts";
import { nextDensity } from "../../model/density.ts";
import { isTyping } from "../../shell/typing.ts";
import { submitSearch } from "../../state/search.ts";
import { route } from "../../state/route.ts";
import type { Controller } from "./controller.ts";
import * as s from "./store.ts";

const MOVES = new Set(["w", "a", "s", "d"]);

export function watchKeys(controller: Controller,
  region: HTMLElement, pointerTime: () => number | undefined): () => void {
  const held = new Set<string>();
  let fast = false;
  let frame = 0;
  let last = 0;

  const move = (milliseconds: number) => {
    const zoom = zoomFactor(milliseconds, fast);
    const share = panShare(milliseconds, fast);
    if (held.has("w")) controller.zoom(zoom, pointerTime());
    if (held.has("s")) controller.zoom(1 / zoom, pointerTime());
    if (held.has("a")) controller.pan(-share);
    if (held.has("d")) controller.pan(share);
  };
  const tick = (now: number) => {
    // A frame's time may lie before the key's: it is when the frame began.
    move(frameTime(now - last));
    last = Math.max(last, now);
    frame = held.size ? requestAnimationFrame(tick) : 0;
  };

  const down = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isTyping(event.target) ||
      event.ctrlKey || event.metaKey || event.altKey ||
      document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    fast = event.shiftKey;
    if (MOVES.has(key)) {
      if (!held.has(key)) {
        held.add(key);
        move(TAP_MS);
        last = performance.now();
        if (!frame) frame = requestAnimationFrame(tick);
      }
      return event.preventDefault();
    }
    if (press(controller, event, key, region, pointerTime))
      event.preventDefault();
  };
  const up = (event: KeyboardEvent) => {
    held.delete(event.key.toLowerCase());
    fast = event.shiftKey;
  };
  const blur = () => held.clear();
  addEventListener("keydown", down);
  addEventListener("keyup", up);
  addEventListener("blur", blur);
  return () => {
    cancelAnimationFrame(frame);
    removeEventListener("keydown", down);
    removeEventListener("keyup", up);
    removeEventListener("blur", blur);
  };
}

/** One press; true when it was for the timeline. */
function press(controller: Controller, event: KeyboardEvent, key: string,
  region: HTMLElement, pointerTime: () => number | undefined): boolean {
  const inRegion = document.activeElement === region ||
    document.activeElement === document.body;
  switch (key) {
    case "1": case "2": case "3": case "4":
      s.mode.value = s.MODES[Number(key) - 1]!;
      return true;
    case "f": controller.frame(); return true;
    case "m": controller.mark(); return true;
    case "r": controller.setDensity(nextDensity(s.density.value)); return true;
    case "Escape": controller.clear(); return true;
    case "Enter":
      if (!inRegion || !route.value.query) return false;
      void submitSearch(route.value.query,
        event.shiftKey ? "previous" : "next");
      return true;
    case "]": return controller.followArrow(false);
    case "[": return controller.followArrow(true);
    case ".": return controller.stepPath(1);
    case ",": return controller.stepPath(-1);
    case "n": controller.addNote(pointerTime()); return true;
  }
  // Arrows mean nothing to a button, such as the link that led here.
  const free = inRegion || document.activeElement instanceof HTMLButtonElement;
  if (!free) return false;
  if (!s.selected.value && inRegion && key.startsWith("Arrow")) {
    void controller.selectFirst();
    return true;
  }
  if (!s.selectedEvent.value) return false;
  switch (key) {
    case "ArrowLeft": controller.step("previous"); return true;
    case "ArrowRight": controller.step("next"); return true;
    case "ArrowUp": controller.step("parent"); return true;
    case "ArrowDown": controller.step("first_child"); return true;
  }
  return false;
}

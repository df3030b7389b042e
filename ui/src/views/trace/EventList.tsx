// SPDX-License-Identifier: Apache-2.0
//
// The events of the selected one's track that are seen, as a list for screen
// readers: the canvas says nothing to them.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { countOf, formatTime } from "../../model/format.ts";
import type { ListedEvent } from "../../worker/protocol.ts";
import type { Controller } from "./controller.ts";
import * as s from "./store.ts";

const MOST = 100;

export function EventList({ controller }: { controller: Controller | null }) {
  const events = useSignal<ListedEvent[]>([]);
  const track = s.selectedEvent.value?.track;
  // Without a selection the list is empty, and no frame should wake it.
  const { t0, t1 } = track === undefined ? s.range.peek() : s.range.value;
  useEffect(() => {
    if (!controller || track === undefined) {
      events.value = [];
      return;
    }
    let current = true;
    const timer = setTimeout(async () => {
      const list = await controller.link.list(track, MOST);
      if (current) events.value = list;
    }, 300);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [controller, track, t0, t1]);
  if (events.value.length === 0) return null;
  return (
    <ul class="hidden" aria-label="Events in view on the selected track">
      {events.value.map((event) => (
        <li key={event.row}>
          <button tabIndex={-1}
            onClick={() => void controller?.select(event.row)}>
            {event.count > 1 ? `${countOf(event.count, "event")}, mostly `
              : ""}{event.text}, at {formatTime(event.start)}, for {" "}
            {formatTime(event.end - event.start)}
          </button>
        </li>
      ))}
    </ul>
  );
}

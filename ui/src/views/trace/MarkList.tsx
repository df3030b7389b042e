// SPDX-License-Identifier: Apache-2.0
//
// Marks and notes: to be named, found again and removed. All of them are in
// the address, so a link shares them.
import { useEffect, useRef } from "preact/hooks";
import { countOf, formatTime } from "../../model/format.ts";
import type { Mark } from "../../model/settings.ts";
import { Icon } from "../../shell/icons.tsx";
import { toast } from "../../shell/Toast.tsx";
import type { Controller } from "./controller.ts";
import * as s from "./store.ts";

const isNote = (mark: Mark) => mark.t1 === mark.t0;

function remove(at: number | null): void {
  const before = s.marks.value;
  const next = at === null ? [] : before.filter((_, n) => n !== at);
  s.setMarks(next);
  toast(`${countOf(before.length - next.length, "mark")} removed.`,
    { text: "Undo", run: () => s.setMarks(before) });
}

function Line({ mark, at, controller }: {
  mark: Mark;
  at: number;
  controller: Controller | null;
}) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (s.freshMark.value !== at) return;
    s.freshMark.value = null;
    box.current?.focus();
    box.current?.select();
  }, [s.freshMark.value]);
  const what = `${isNote(mark) ? "note" : "mark"} ${at + 1}`;
  return (
    <li>
      <Icon name={isNote(mark) ? "note" : "flag"} />
      <div>
        <input ref={box} type="text" value={mark.text} maxLength={160}
          aria-label={`Text of ${what}`}
          onInput={(event) => s.setMarks(s.marks.value.map((one, n) =>
            n === at ? { ...one, text: event.currentTarget.value } : one))}
          onKeyDown={(event) => {
            if (event.key === "Enter" || event.key === "Escape")
              event.currentTarget.blur();
          }} />
        <span class="quiet">{isNote(mark) ? `at ${formatTime(mark.t0)}`
          : `${formatTime(mark.t1 - mark.t0)} from ${formatTime(mark.t0)}`}
        </span>
      </div>
      <button class="icon-button" title="Show on the timeline"
        aria-label={`Show ${what}`}
        onClick={() => controller?.showMarked(mark)}>
        <Icon name="frame" /></button>
      <button class="icon-button" title="Remove"
        aria-label={`Remove ${what}`} onClick={() => remove(at)}>
        <Icon name="close" /></button>
    </li>
  );
}

export function MarkList({ controller }: { controller: Controller | null }) {
  const marks = s.marks.value;
  return (
    <>
      <div class="row">
        <button class="button" onClick={() => controller?.addNote()}>
          Add a note <kbd>N</kbd></button>
        {marks.length > 0 && <button class="button"
          onClick={() => remove(null)}>Remove all</button>}
      </div>
      {marks.length === 0
        ? <p class="quiet">Nothing is marked. <kbd>M</kbd> marks the selected
          event, box or measured time; <kbd>N</kbd> puts a note where the
          pointer is. The link to this page has all of them.</p>
        : <ul class="mark-list">{marks.map((mark, at) => (
          <Line key={at} mark={mark} at={at} controller={controller} />
        ))}</ul>}
    </>
  );
}

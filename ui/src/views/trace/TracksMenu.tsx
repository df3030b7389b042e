// SPDX-License-Identifier: Apache-2.0
//
// Which tracks are shown: a filter by text, a list to hide and show them.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { toggled } from "../../model/settings.ts";
import { trace } from "../../state/trace.ts";
import { Icon } from "../../shell/icons.tsx";
import * as s from "./store.ts";

const open = signal(false);
const MOST_LISTED = 300;

function Menu() {
  const info = trace.value!.info;
  const { filter, hidden } = s.settings.value;
  const groups = new Map(info.groups.map((group) => [group.id, group.name]));
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const listed = info.tracks.filter((track) => {
    const text =
      `${track.name} ${track.detail} ${groups.get(track.group)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <div class="menu">
      <input type="text" value={filter} placeholder="Show tracks with…"
        aria-label="Filter tracks" autofocus
        onInput={(event) =>
          s.changeSettings({ filter: event.currentTarget.value })} />
      <ul>
        {listed.slice(0, MOST_LISTED).map((track) => (
          <li key={track.id}>
            <label>
              <input type="checkbox" checked={!hidden.includes(track.id)}
                onChange={() => s.changeSettings(
                  { hidden: toggled(hidden, track.id) })} />
              <span>{track.name}</span>
              <span class="faint">{groups.get(track.group)}</span>
            </label>
          </li>
        ))}
      </ul>
      <div class="row">
        <button class="link" onClick={() => s.changeSettings(
          { hidden: [], filter: "", moved: [], foldedTracks: [],
            foldedGroups: [] })}>Show all</button>
        <span class="faint">{listed.length > MOST_LISTED
          ? `${MOST_LISTED} of ${listed.length} listed` : ""}</span>
      </div>
    </div>
  );
}

export function TracksMenu() {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const away = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) open.value = false;
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key === "Escape") open.value = false;
    };
    addEventListener("pointerdown", away);
    addEventListener("keydown", escape);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("keydown", escape);
    };
  }, []);
  const shown = s.layout.value.rows.filter((row) => row.type === "track");
  return (
    <div class="dropdown" ref={root}>
      <button class="toggle" aria-expanded={open.value} aria-haspopup="true"
        title="Filter, hide and show tracks"
        aria-pressed={s.settings.value.filter !== ""}
        onClick={() => {
          open.value = !open.value;
        }}>
        <Icon name="filter" /><span>Tracks {shown.length}</span>
      </button>
      {open.value && <Menu />}
    </div>
  );
}

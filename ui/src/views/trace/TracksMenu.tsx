// SPDX-License-Identifier: Apache-2.0
//
// Which tracks are shown: a filter by text, a list to hide and show them.
import { signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { GroupInfo, TrackInfo } from "../../generated/answers.ts";
import { filterOf, withStages } from "../../model/layout.ts";
import { withPlace } from "../../model/memory.ts";
import { toggled } from "../../model/settings.ts";
import { trace } from "../../state/trace.ts";
import { useDismiss } from "../../shell/dismiss.ts";
import { Icon } from "../../shell/icons.tsx";
import * as s from "./store.ts";

const open = signal(false);
/** As the style sheet has it. */
const LINE = 25;
/** The list is at most this share of the window's height. */
const SHARE = 0.46;
/** The list is made anew after so many lines, so it has as many to spare. */
const SPARE = 10;

/** Only lines that are seen, and some around, are in the page. */
function List({ tracks, groups, hidden }: {
  tracks: TrackInfo[];
  groups: Map<number, GroupInfo>;
  hidden: number[];
}) {
  const scrolled = useSignal(0);
  const most = Math.ceil((innerHeight * SHARE) / LINE) + 3 * SPARE;
  const last = Math.max(0, tracks.length - most);
  const first = Math.min(last, Math.max(0, (scrolled.value - 1) * SPARE));
  const air = (lines: number) => lines > 0 &&
    <li role="presentation" style={{ height: `${lines * LINE}px` }} />;
  return (
    <ul onScroll={(event) => {
      scrolled.value =
        Math.floor(event.currentTarget.scrollTop / LINE / SPARE);
    }}>
      {air(first)}
      {tracks.slice(first, first + most).map((track) => (
        <li key={track.id}>
          <label>
            <input type="checkbox" checked={!hidden.includes(track.id)}
              onChange={() => s.changeSettings(
                { hidden: toggled(hidden, track.id) })} />
            <span>{withPlace(track.name)}</span>
            <span class="faint">{groups.get(track.group)?.name}</span>
          </label>
        </li>
      ))}
      {air(tracks.length - first - most)}
    </ul>
  );
}

function Menu() {
  const info = trace.value!.info;
  const { filter, hidden } = s.settings.value;
  const groups = new Map(info.groups.map((group) => [group.id, group]));
  const matches = filterOf(filter);
  const tracks = withStages(info.tracks, info.stages ?? []);
  const listed = tracks.filter((track) =>
    matches(track, groups.get(track.group)));
  return (
    <div class="tracks-menu">
      <input type="text" value={filter} placeholder="Show tracks with…"
        aria-label="Filter tracks" autofocus
        onInput={(event) =>
          s.changeSettings({ filter: event.currentTarget.value })} />
      <List tracks={listed} groups={groups} hidden={hidden} />
      <div class="row">
        <button class="link" onClick={() => s.changeSettings(
          { hidden: [], filter: "", moved: [], foldedTracks: [],
            foldedGroups: [] })}>Show all</button>
        <span class="faint">{listed.length < tracks.length
          ? `${listed.length} of ${tracks.length} match` : ""}</span>
      </div>
    </div>
  );
}

export function TracksMenu() {
  const root = useRef<HTMLDivElement>(null);
  useDismiss(root, open.value, () => {
    open.value = false;
  });
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

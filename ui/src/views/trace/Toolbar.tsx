// SPDX-License-Identifier: Apache-2.0
import { clearSearch, found, submitSearch } from "../../state/search.ts";
import { setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { DENSITIES, type Density } from "../../model/density.ts";
import { countOf, formatCount } from "../../model/format.ts";
import { Icon, type IconName } from "../../shell/icons.tsx";
import { toast } from "../../shell/Toast.tsx";
import type { Controller } from "./controller.ts";
import { Legend } from "./Legend.tsx";
import { TracksMenu } from "./TracksMenu.tsx";
import * as s from "./store.ts";

const MODE_ICONS: Record<s.Mode, [IconName, string]> = {
  select: ["select", "Select (1)"],
  pan: ["pan", "Pan (2)"],
  zoom: ["zoom", "Zoom (3)"],
  measure: ["measure", "Measure (4)"],
};

function Modes() {
  return (
    <div class="modes" role="radiogroup" aria-label="Mouse">
      {s.MODES.map((mode) => (
        <button key={mode} role="radio" title={MODE_ICONS[mode][1]}
          aria-label={MODE_ICONS[mode][1]}
          aria-checked={s.mode.value === mode}
          onClick={() => {
            s.mode.value = mode;
          }}>
          <Icon name={MODE_ICONS[mode][0]} />
        </button>
      ))}
    </div>
  );
}

const ROWS: Record<Density, string> = {
  normal: "Normal rows, with names (r)",
  compact: "Compact rows (r)",
  dense: "Dense rows: most threads on one screen (r)",
};

function Rows({ controller }: { controller: Controller | null }) {
  return (
    <div class="modes rows" role="radiogroup" aria-label="Row height">
      {DENSITIES.map((density) => (
        <button key={density} role="radio" title={ROWS[density]}
          aria-label={ROWS[density]}
          aria-checked={s.density.value === density}
          onClick={() => controller?.setDensity(density)}>
          <Icon name={density} />
        </button>
      ))}
    </div>
  );
}

function Found() {
  const now = found.value;
  if (!now) return null;
  const text = now.error ? now.error
    : now.count === 0 ? "no match"
      : `${formatCount(now.index)} of ${formatCount(now.count)}`;
  const again = (direction: "next" | "previous") => () =>
    void submitSearch(now.query, direction);
  return (
    <div class="found-count" role="status">
      <Icon name="search" />
      <b class="mono">{now.query}</b>
      <span class="quiet">{text}</span>
      <button title="Previous match (Shift+Enter)"
        aria-label="Previous match" disabled={now.count === 0}
        onClick={again("previous")}><Icon name="up" /></button>
      <button title="Next match (Enter)" aria-label="Next match"
        disabled={now.count === 0} onClick={again("next")}>
        <Icon name="down" /></button>
      <button title="List all matches" aria-label="List all matches"
        aria-pressed={s.panel.value === "hits"} disabled={now.count === 0}
        onClick={() => s.showPanel(s.panel.value === "hits" ? "" : "hits")}>
        <Icon name="normal" /></button>
      <button title="End the search" aria-label="End the search"
        onClick={clearSearch}><Icon name="close" /></button>
    </div>
  );
}

function Toggle(
  { icon, text, hint, on, onClick }: {
    icon: IconName;
    text: string;
    hint: string;
    on: boolean;
    onClick: () => void;
  }) {
  return (
    <button class="toggle" aria-pressed={on} aria-label={text} title={hint}
      onClick={onClick}>
      <Icon name={icon} /><span>{text}</span>
    </button>
  );
}

function unpinAll(): void {
  const { pinned } = s.settings.value;
  if (pinned.length === 0) return;
  s.changeSettings({ pinned: [] });
  toast(`${countOf(pinned.length, "track")} unpinned.`, { text: "Undo",
    run: () => s.changeSettings({ pinned }) });
}

export function Toolbar({ controller }: { controller: Controller | null }) {
  if (!trace.value) return null;
  return (
    <div class="toolbar" role="toolbar" aria-label="Timeline">
      <Modes />
      <Rows controller={controller} />
      <Found />
      <TracksMenu />
      <Toggle icon="arrows" text="Arrows" on={s.arrowsShown.value}
        hint="Draw arrows from launches to kernels"
        onClick={() => setMore("arrows", s.arrowsShown.value ? "0" : "")} />
      <Toggle icon="path" text="Critical path" on={s.pathShown.value}
        hint="What the steps waited for, as a track of its own"
        onClick={() => setMore("path", s.pathShown.value ? "" : "1")} />
      <Toggle icon="pin" text={`Pinned ${s.settings.value.pinned.length}`}
        on={false} hint="Unpin all tracks" onClick={unpinAll} />
      <Toggle icon="flag" text={`Marks ${s.marks.value.length}`}
        on={s.panel.value === "marks"} hint="List marks and notes"
        onClick={() =>
          s.showPanel(s.panel.value === "marks" ? "" : "marks")} />
      <button class="toggle" aria-label="Whole trace"
        title="Show the whole trace (f without a selection)"
        onClick={() => controller?.showWhole()}>
        <Icon name="frame" /><span>Whole trace</span>
      </button>
      <div class="space" />
      <Legend />
    </div>
  );
}

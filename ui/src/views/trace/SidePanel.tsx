// SPDX-License-Identifier: Apache-2.0
//
// Lists at the right of the tracks: matches of the search, marks and notes,
// and what the critical path is made of.
import { Icon } from "../../shell/icons.tsx";
import type { Controller } from "./controller.ts";
import { HitList } from "./HitList.tsx";
import { MarkList } from "./MarkList.tsx";
import { PathList } from "./PathList.tsx";
import * as s from "./store.ts";

const TITLES: Record<Exclude<s.Panel, "">, string> = {
  hits: "Matches", marks: "Marks and notes", path: "Critical path",
};

export function SidePanel({ controller }: { controller: Controller | null }) {
  const shown = s.panel.value;
  if (shown === "") return null;
  return (
    <aside class="side-panel" aria-label={TITLES[shown]}>
      <header>
        <h2>{TITLES[shown]}</h2>
        <button class="icon-button" aria-label="Close the list"
          title="Close the list" onClick={() => s.showPanel("")}>
          <Icon name="close" /></button>
      </header>
      {shown === "hits" ? <HitList controller={controller} />
        : shown === "marks" ? <MarkList controller={controller} />
          : <PathList controller={controller} />}
    </aside>
  );
}

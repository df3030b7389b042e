// SPDX-License-Identifier: Apache-2.0
import { movedBefore } from "../../model/settings.ts";
import * as s from "./store.ts";

/** Moves a track above the one before it, inside its group. */
export function moveUp(track: number): void {
  const rows = s.layout.value.rows;
  const at = rows.findIndex((row) =>
    row.type === "track" && row.track === track);
  const before = rows[at - 1];
  if (!before || before.type !== "track") return;
  s.changeSettings({ moved:
    movedBefore(s.settings.value.moved, track, before.track) });
}

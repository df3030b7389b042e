// SPDX-License-Identifier: Apache-2.0
//
// What a search finds as rows of a table. Pure.
import type {
  GroupInfo, HitsInfo, TrackInfo,
} from "../generated/answers.ts";
import type { Column, Data } from "./table.ts";

const COLUMNS: Column[] = [
  { key: "start", title: "Start", type: "time", unit: "",
    meaning: "from the start of the trace" },
  { key: "dur", title: "Duration", type: "time", unit: "",
    meaning: "of the event" },
  { key: "name", title: "Name", type: "text", unit: "",
    meaning: "of the event" },
  { key: "track", title: "Track", type: "text", unit: "",
    meaning: "where it is" },
];

export function hitRows({ rows }: HitsInfo, tracks: TrackInfo[],
  groups: GroupInfo[]): Data {
  const groupNames = new Map(groups.map(({ id, name }) => [id, name]));
  const names = new Map(tracks.map(({ id, name, group }) =>
    [id, `${name}, ${groupNames.get(group) ?? ""}`]));
  return {
    columns: COLUMNS, count: rows.length,
    cell: (at, column) => {
      const { name, start, dur, track } = rows[at]!;
      return [start, dur, name, names.get(track) ?? ""][column] ?? null;
    },
  };
}

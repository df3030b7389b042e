// SPDX-License-Identifier: Apache-2.0
//
// The traces of a folder as rows of a table, and where each leads. Pure.
import type {
  CardState, Runs, TraceList, TraceRow,
} from "../generated/answers.ts";
import { ranksText } from "./job.ts";
import type { Column, Data } from "./table.ts";

const STATES: Record<CardState, string> = {
  waiting: "waiting", reading: "reading…", unread: "not read",
  whole: "whole", cut: "cut off", recording: "recording",
  unreadable: "unreadable",
};
export const stateText = (state: CardState) => STATES[state];

/** "2026-11-17 14:05", on this machine's clock. */
export function whenText(ns: string): string {
  const date = new Date(Number(ns) / 1e6);
  if (!ns || Number.isNaN(date.getTime())) return "";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-` +
    `${two(date.getDate())} ${two(date.getHours())}:` +
    two(date.getMinutes());
}

const column = (key: string, title: string, type: Column["type"],
  meaning = ""): Column => ({ key, title, type, unit: "", meaning });
const TRACE_COLUMNS: Column[] = [
  column("pick", "Compare", "text", "choose two"),
  column("file", "Trace", "text", "file below the folder"),
  column("state", "State", "text", "whether the whole recording is there"),
  column("modified", "Changed", "text", "when the file was last written to"),
  column("bytes", "Size", "bytes", "of the file"),
  column("steps", "Steps", "count", "settled ones"),
  column("step_ns", "Step time", "time", "median of settled steps"),
  column("ranks", "Rank", "text", "as the trace states it"),
  column("format", "Format", "text", "detected from content"),
  column("events", "Events", "count", "in the trace"),
  column("headline", "What it says", "text", "the first sentence of Overview"),
];

export interface TraceLine extends TraceRow {
  /** A file that is no trace has no address. */
  known: boolean;
}

/** All files of the folder, the newest first; what is none comes last. */
export function linesOfList(list: TraceList, listed: Runs): TraceLine[] {
  const nothing = { t: "", run: "", worker: "", format: "", modified_ns: "",
    bytes: 0, events: 0, steps: 0, rejected: 0, step_ns: null, ranks: [],
    headline: [] };
  return [...list.traces.map((one) => ({ ...one, known: true })),
    ...listed.skipped.map(({ file, why }) => ({ ...nothing, file,
      state: "unreadable" as const, why, known: false }))];
}

/** What stands in the last column: the answer, or why there is none. */
const saysOf = (line: TraceLine) => line.why
  ? line.why : line.headline.join(" ");

export function dataOfLines(lines: TraceLine[]): Data {
  const read = (line: TraceLine) => line.known && line.why === "" &&
    line.state !== "waiting" && line.state !== "reading" &&
    line.state !== "unread";
  return { columns: TRACE_COLUMNS, count: lines.length,
    cell: (row, at) => {
      const line = lines[row]!;
      switch (TRACE_COLUMNS[at]!.key) {
        case "pick": return "";
        case "file": return line.file;
        case "state": return stateText(line.state);
        case "modified": return whenText(line.modified_ns);
        case "bytes": return line.known ? line.bytes : null;
        case "steps": return read(line) ? line.steps : null;
        case "step_ns": return line.step_ns;
        case "ranks": return ranksText(line.ranks);
        case "format": return line.format;
        case "events": return read(line) ? line.events : null;
        default: return saysOf(line);
      }
    } };
}

/** The two that are chosen, the older one first: B is compared with A. */
export function pairOf(lines: TraceLine[], chosen: Set<string>)
  : [a: TraceLine, b: TraceLine] | null {
  const two = lines.filter((line) => chosen.has(line.t));
  return two.length === 2 ? [two[1]!, two[0]!] : null;
}

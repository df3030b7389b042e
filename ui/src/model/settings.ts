// SPDX-License-Identifier: Apache-2.0
//
// The timeline's own part of the address: tracks, marks, overlays. Pure.
import { noSettings, type Settings } from "./layout.ts";
import { clipName } from "./names.ts";
import { formatMoves, parseMoves } from "./order.ts";

const numbers = (text: string | undefined) =>
  (text ?? "").split(",").filter((part) => /^\d{1,9}$/.test(part))
    .map(Number);

export function parseSettings(more: Record<string, string>): Settings {
  return {
    ...noSettings,
    pinned: numbers(more["pin"]),
    foldedGroups: numbers(more["shut"]),
    foldedTracks: numbers(more["fold"]),
    hidden: numbers(more["hide"]),
    filter: more["tracks"] ?? "",
    moved: parseMoves(more["move"]),
    movedGroups: parseMoves(more["order"]),
  };
}

export function formatSettings(settings: Settings): Record<string, string> {
  return {
    pin: settings.pinned.join(","),
    shut: settings.foldedGroups.join(","),
    fold: settings.foldedTracks.join(","),
    hide: settings.hidden.join(","),
    tracks: settings.filter,
    move: formatMoves(settings.moved),
    order: formatMoves(settings.movedGroups),
  };
}

export const toggled = (list: number[], value: number) =>
  list.includes(value) ? list.filter((one) => one !== value)
    : [...list, value];

/** Letters of a mark or a note in the address; fewer stand on the ruler. */
const MOST_OF_MARK = 160;

/** A time with a name; of a note, both ends are the same. */
export interface Mark {
  t0: number;
  t1: number;
  text: string;
}
/** "12-40:a name;…"; a name's own ; and : are written as %3B and %3A. */
export function parseMarks(text: string | undefined): Mark[] {
  return (text ?? "").split(";")
    .map((part) => /^(-?\d+)-(-?\d+):(.*)$/.exec(part))
    .filter((match) => match !== null)
    .map((match) => ({ t0: Number(match[1]), t1: Number(match[2]),
      text: clipName(decode(match[3]!), MOST_OF_MARK) }))
    .filter((mark) => mark.t1 >= mark.t0);
}
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
export function formatMarks(marks: Mark[]): string {
  return marks.map((mark) => `${Math.round(mark.t0)}-${Math.round(mark.t1)}:` +
    encodeURIComponent(clipName(mark.text, MOST_OF_MARK))).join(";");
}

export interface BoxSelection {
  t0: number;
  t1: number;
  tracks: number[];
}
/** "t0-t1:1,2,3". */
export function parseBox(text: string | undefined): BoxSelection | null {
  const match = /^(-?\d+)-(-?\d+):([\d,]+)$/.exec(text ?? "");
  if (!match) return null;
  const box = { t0: Number(match[1]), t1: Number(match[2]),
    tracks: numbers(match[3]) };
  return box.t1 > box.t0 && box.tracks.length ? box : null;
}
export function formatBox(box: BoxSelection | null): string {
  return box ? `${Math.round(box.t0)}-${Math.round(box.t1)}:` +
    box.tracks.join(",") : "";
}

// SPDX-License-Identifier: Apache-2.0
//
// An order that a reader made by moving things, one after the other: what is
// new in a trace keeps its usual place. Pure.
export interface Move {
  id: number;
  /** Beside which one it was put. */
  by: number;
  after: boolean;
}

export function reordered<T extends { id: number }>(
  list: readonly T[], moves: readonly Move[]): T[] {
  const all = [...list];
  const at = (id: number) => all.findIndex((one) => one.id === id);
  for (const { id, by, after } of moves) {
    if (id === by || at(id) < 0 || at(by) < 0) continue;
    const [one] = all.splice(at(id), 1);
    all.splice(at(by) + (after ? 1 : 0), 0, one!);
  }
  return all;
}

/** What moves again: where it was put last counts no more. */
export function withMove(moves: readonly Move[], next: Move): Move[] {
  const earlier = moves.at(-1)?.id === next.id ? moves.slice(0, -1) : moves;
  return [...earlier, next];
}

/** "5-9,7-3a": 5 before 9, 7 after 3. */
export function parseMoves(text: string | undefined): Move[] {
  return (text ?? "").split(",")
    .map((part) => /^(\d{1,9})-(\d{1,9})(a?)$/.exec(part))
    .filter((match) => match !== null)
    .map((match) => ({ id: Number(match[1]), by: Number(match[2]),
      after: match[3] === "a" }));
}
export const formatMoves = (moves: readonly Move[]) =>
  moves.map(({ id, by, after }) => `${id}-${by}${after ? "a" : ""}`)
    .join(",");

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { formatMoves, parseMoves, reordered, withMove } from "./order.ts";

const list = [1, 2, 3, 4].map((id) => ({ id }));
const order = (text: string) =>
  reordered(list, parseMoves(text)).map(({ id }) => id);

test("things are put before or after others, one move after the other", () => {
  expect(order("")).toEqual([1, 2, 3, 4]);
  expect(order("4-1")).toEqual([4, 1, 2, 3]);
  expect(order("1-4a")).toEqual([2, 3, 4, 1]);
  expect(order("1-4a,3-1a")).toEqual([2, 4, 1, 3]);
});

test("moves of what is not there change nothing", () => {
  expect(order("9-1,1-9,2-2,x-1,1-,-3")).toEqual([1, 2, 3, 4]);
});

test("what moves on is one move in the link", () => {
  const first = parseMoves("5-4,9-8");
  expect(formatMoves(withMove(first, { id: 9, by: 7, after: true })))
    .toBe("5-4,9-7a");
  expect(formatMoves(withMove(first, { id: 5, by: 3, after: false })))
    .toBe("5-4,9-8,5-3");
});

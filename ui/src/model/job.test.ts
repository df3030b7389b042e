// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { HeatMap, JobRow, RunInfo } from "../generated/answers.ts";
import {
  columnText, heatCellAt, isOfRanks, movedCell, rankHue, ranksText, rowHeight,
  togetherOf,
} from "./job.ts";

const map: HeatMap = { measure: "delays_ns", most: 9, ranks: [0, 1, 2],
  first: [0, 2, 4], last: [1, 3, 4],
  cells: [[1, 2, 3], [4, 5, -1], [7, 8, 9]] };

function runOf(ranks: (number | null)[]): RunInfo {
  return { id: "r", name: "r", all: ranks.length > 1
    ? { t: "all", name: "All workers" } : null,
  workers: ranks.map((rank, i) => ({ id: `w${i}`, name: `w${i}`, rank,
    windows: [{ t: `t${i}`, name: `t${i}` }] })) };
}

test("ranks beside each other have different colours", () => {
  for (let rank = 0; rank < 40; ++rank)
    expect(rankHue(rank)).not.toBe(rankHue(rank + 1));
});

test("a folder is of ranks if each file names another one", () => {
  expect(isOfRanks(runOf([0, 1, 2]))).toBe(true);
  expect(isOfRanks(runOf([0, null]))).toBe(false);
  expect(isOfRanks(runOf([0, 0]))).toBe(false);
  expect(isOfRanks(runOf([0]))).toBe(false);
});

test("a job of a whole run is its timeline of all", () => {
  const job = (windows: string[]) => ({ windows }) as unknown as JobRow;
  expect(togetherOf(runOf([0, 1]), job(["t0", "t1"]))).toBe("all");
  expect(togetherOf(runOf([0, 1, null]), job(["t0", "t1"]))).toBe("t0.t1");
  expect(togetherOf(runOf([0, 1]), job(["t1"]))).toBe("t1");
});

test("ranks in words", () => {
  expect(ranksText([])).toBe("");
  expect(ranksText([7])).toBe("rank 7");
  expect(ranksText([0, 3])).toBe("ranks 0 and 3");
  expect(ranksText([0, 1, 2, 3, 4])).toBe("5 ranks");
});

test("512 ranks are rows that can be told apart", () => {
  expect(rowHeight(2)).toBe(22);
  expect(rowHeight(512)).toBe(2);
});

test("a cell of the heat map by place and by keys", () => {
  expect(heatCellAt(map, 300, 150, 23)).toEqual({ row: 1, column: 1 });
  expect(heatCellAt(map, 300, 150, 22 * 3)).toBeNull();
  expect(heatCellAt(map, 300, -1, 3)).toBeNull();
  expect(movedCell(map, null, "ArrowDown")).toEqual({ row: 0, column: 0 });
  expect(movedCell(map, { row: 2, column: 2 }, "ArrowDown"))
    .toEqual({ row: 2, column: 2 });
  expect(movedCell(map, { row: 2, column: 2 }, "ArrowLeft"))
    .toEqual({ row: 2, column: 1 });
  expect(movedCell(map, { row: 2, column: 2 }, "a")).toBeNull();
  expect(columnText(map, 0)).toBe("steps 0 to 1");
  expect(columnText(map, 2)).toBe("step 4");
  expect(columnText({ ...map, first: [-1], last: [-1] }, 0))
    .toBe("the recorded window");
});

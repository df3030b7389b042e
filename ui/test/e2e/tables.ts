// SPDX-License-Identifier: Apache-2.0
//
// For tests: all cells of a table on screen, and the same cells as the text
// that a value should have. Rows are compared without their order.
import type { DeclaredColumn } from "../../src/generated/answers.ts";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { cellText, UNKNOWN } from "../../src/model/cell.ts";
import { columnsOf, valueAt } from "../../src/model/declared.ts";
import { isNumeric, type Cell, type Column } from "../../src/model/table.ts";

/** The server's answer, asked beside the page. */
export async function ask<T>(url: string, path: string): Promise<T> {
  const token = /#token=(\w+)/.exec(url)![1]!;
  const base = url.slice(0, url.indexOf("#"));
  const answer = await fetch(`${base}api/v1/${path}`,
    { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return await answer.json() as T;
}

// Cells that are drawn otherwise than their value is written.
function looksOf(column: Column, cell: Cell): string {
  if (column.key === "tensor_core_estimated") return cell ? "TC" : UNKNOWN;
  return cellText(cell, column, "auto");
}

/** What a table shows of rows that are given by their values. */
export function expectedRows(
  columns: Column[], rows: ((column: Column) => Cell)[]): string[] {
  return rows.map((row) => columns.map((column) =>
    looksOf(column, row(column))).join(" | ")).sort();
}

/** What a table shows of the objects of a document, which has moments on the
 * clock of the trace: a page has them from where the trace starts. */
export function rowsOfObjects(
  declared: DeclaredColumn[], rows: unknown[], originNs = 0)
  : { columns: Column[]; rows: string[] } {
  const columns = columnsOf(declared);
  const moments = new Set(declared.filter(({ type }) =>
    type.startsWith("moment")).map(({ key }) => key));
  return { columns, rows: expectedRows(columns, rows.map((row) =>
    (column: Column) => {
      const value = valueAt(row, column.key);
      return moments.has(column.key) && typeof value === "number"
        ? value - originNs : value;
    })) };
}

export function rowsOfFlat(
  table: { columns: DeclaredColumn[]; rows: Cell[][] })
  : { columns: Column[]; rows: string[] } {
  const columns = columnsOf(table.columns);
  return { columns, rows: expectedRows(columns, table.rows.map((row) =>
    (column: Column) => row[table.columns.findIndex((one) =>
      one.key === column.key)] ?? null)) };
}

interface Seen {
  heads: string[];
  rows: Map<number, string>;
}

/** Rows of the grid that are on screen now; whole text of what is short. */
async function seenRows(page: Page, label: string)
  : Promise<[number, string][]> {
  return page.getByRole("grid", { name: label, exact: true })
    .evaluate((grid) => [...grid.querySelectorAll(".t-row")].map((row) => {
      const cells = [...row.querySelectorAll("[role=gridcell]:not(.go)")];
      return [Number(row.getAttribute("aria-rowindex")), cells.map((cell) =>
        cell.getAttribute("title") ?? cell.textContent).join(" | ")] as
        [number, string];
    }));
}

/** Every row of a table, by scrolling through it. */
export async function readTable(page: Page, label: string): Promise<Seen> {
  const grid = page.getByRole("grid", { name: label, exact: true });
  await grid.waitFor();
  const heads = await grid.locator("[role=columnheader] button > span")
    .allInnerTexts();
  const rows = new Map<number, string>();
  const count = Number(await grid.getAttribute("aria-rowcount")) - 1;
  await grid.evaluate((box) => {
    box.scrollTop = 0;
  });
  while (rows.size < count) {
    for (const [at, text] of await seenRows(page, label)) rows.set(at, text);
    const last = Math.max(...rows.keys());
    await grid.evaluate((box, to) => {
      box.scrollTop = to;
    }, (last - 4) * 27);
    if (rows.size < count)
      await page.waitForFunction(([name, at]) => [...document
        .querySelectorAll(`[role=grid][aria-label="${name}"] .t-row`)]
        .some((row) => Number(row.getAttribute("aria-rowindex")) > at!),
      [label, last] as const);
  }
  return { heads, rows };
}

/** Every cell of every declared column is what it should be. */
export async function expectTable(page: Page, label: string,
  wanted: { columns: Column[]; rows: string[] }): Promise<void> {
  if (wanted.rows.length === 0) return;
  const seen = await readTable(page, label);
  expect(seen.heads).toEqual(wanted.columns.map((one) =>
    one.unit && one.type === "number" ? `${one.title}, ${one.unit}`
      : one.title));
  expect([...seen.rows.values()].sort()).toEqual(wanted.rows);
  expect(wanted.columns.some(isNumeric)).toBe(true);
}

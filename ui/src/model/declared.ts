// SPDX-License-Identifier: Apache-2.0
//
// From declared tables (GET tables) and documents to a table's Data. Pure.
import type {
  Cell, DeclaredColumn, DeclaredTable, FlatTable,
} from "../generated/answers.ts";
import type { CellType, Column, Data } from "./table.ts";

const TYPES: [RegExp, CellType][] = [
  [/^(time|moment)/, "time"], [/^count/, "count"], [/^bytes/, "bytes"],
  [/^ratio/, "ratio"], [/^(bool|true)/, "bool"], [/^text/, "text"],
  [/^number/, "number"],
];
export function cellTypeOf(type: string): CellType | null {
  return TYPES.find(([shape]) => shape.test(type))?.[1] ?? null;
}

function columnOf(declared: DeclaredColumn): Column | null {
  const type = cellTypeOf(declared.type);
  if (!type) return null;
  return {
    key: declared.key, type,
    title: declared.title || declared.key,
    unit: declared.unit ?? "", meaning: declared.meaning ?? "",
  };
}

export function columnsOf(declared: DeclaredColumn[]): Column[] {
  return declared.flatMap((one) => columnOf(one) ?? []);
}

/** The value at "cpu.total_ns" of a nested object. */
export function valueAt(row: unknown, key: string): Cell {
  let value: unknown = row;
  for (const part of key.split(".")) {
    if (value === null || typeof value !== "object") return null;
    value = (value as Record<string, unknown>)[part];
  }
  switch (typeof value) {
    case "string": case "number": case "boolean": return value;
    default: return null;
  }
}

/**
 * A table over the objects of a document. `inner`: keys of nested rows;
 * `within`: the name of the row that these rows are inside of.
 */
export function fromObjects(columns: Column[], rows: unknown[],
  inner: string[] = [], within?: string): Data {
  const data: Data = {
    columns, count: rows.length, ...(within ? { within } : {}),
    cell: (row, column) => valueAt(rows[row], columns[column]!.key),
  };
  if (inner.length > 0) {
    data.inner = (row) => {
      const inside = inner.flatMap((key) => {
        const value = (rows[row] as Record<string, unknown>)[key];
        return Array.isArray(value) ? value : [];
      });
      const name = valueAt(rows[row], "name");
      return inside.length > 0
        ? fromObjects(columns, inside, inner, String(name ?? "")) : null;
    };
  }
  return data;
}

export function fromFlat(table: FlatTable): Data {
  const kept = table.columns.flatMap((one, at) => {
    const column = columnOf(one);
    return column ? [{ column, at }] : [];
  });
  return {
    columns: kept.map((one) => one.column), count: table.rows.length,
    cell: (row, column) => table.rows[row]![kept[column]!.at] ?? null,
    ...(table.facts ? { facts: table.facts } : {}),
  };
}

/** A cell of a flat table by the key of its column. */
export function valueOf(table: FlatTable, row: number, key: string): Cell {
  const at = table.columns.findIndex((one) => one.key === key);
  return table.rows[row]?.[at] ?? null;
}

/** A table; one of a single row has tables inside it, each in a column. */
export function tablesIn(
  table: FlatTable): { title: string; column: string; data: Data }[] {
  const whole = fromFlat(table);
  const inside = table.rows.length > 1 ? [] : table.columns.flatMap(
    (column, at) => column.type !== "rows" ? [] : [{
      title: column.title || column.key, column: column.key,
      data: fromObjects(columnsOf(column.columns ?? []),
        (table.rows[0]?.[at] ?? []) as unknown as unknown[]),
    }]);
  return whole.columns.length > 0
    ? [{ title: "", column: "", data: whole }, ...inside] : inside;
}

export function declaredTable(
  tables: DeclaredTable[] | undefined, key: string): DeclaredTable | null {
  return tables?.find((table) => table.key === key) ?? null;
}

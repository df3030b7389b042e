// SPDX-License-Identifier: Apache-2.0
//
// Tables and their columns; a click puts a name into the query.
import { useSignal } from "@preact/signals";
import type { SqlSchema } from "../../generated/answers.ts";
import { Prose } from "../../shell/Prose.tsx";
import { Card } from "../parts.tsx";

export function Schema({ schema, onPick }: {
  schema: SqlSchema;
  onPick: (word: string) => void;
}) {
  const wanted = useSignal("");
  const text = wanted.value.trim().toLowerCase();
  const tables = schema.tables.filter((table) => table.name.includes(text) ||
    table.columns.some((column) => column.name.includes(text)));
  return (
    <Card class="sql-schema">
      <input type="text" class="field" value={wanted.value}
        placeholder="Find a table or column" aria-label="Find a table or column"
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
        }} />
      <div class="sql-tables">
        {tables.map((table) => (
          <details key={table.name}>
            <summary title={table.meaning}><span class="mono">{table.name}
            </span> <span class="faint">{table.meaning}</span></summary>
            <ul>
              <li><button class="link mono"
                onClick={() => onPick(table.name)}>{table.name}</button>
              <span class="faint">the table</span></li>
              {table.columns.map((column) => (
                <li key={column.name}>
                  <button class="link mono" title={column.type}
                    onClick={() => onPick(column.name)}>{column.name}</button>
                  <span class="faint">
                    <Prose text={column.meaning ?? ""} /></span>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </Card>
  );
}

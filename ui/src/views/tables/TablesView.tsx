// SPDX-License-Identifier: Apache-2.0
//
// Every declared table by itself, whether or not another view shows it: a new
// table of the analysis needs nothing here.
import type { DeclaredTable } from "../../generated/answers.ts";
import { tablesIn } from "../../model/declared.ts";
import { rowsOf, tableOf } from "../../model/sql.ts";
import { useFlatAnswer, useTables } from "../../state/documents.ts";
import { route, setMore } from "../../state/route.ts";
import { Table } from "../../table/Table.tsx";
import { Card, Loaded, Page, StepsChoice } from "../parts.tsx";

function Choice({ tables, value }: { tables: DeclaredTable[]; value: string }) {
  return (
    <select aria-label="Table" value={value}
      onChange={(event) => setMore("table", event.currentTarget.value)}>
      {tables.map((one) => (
        <option key={one.key} value={one.key}>{one.title}</option>
      ))}
    </select>
  );
}

function Content({ tables }: { tables: DeclaredTable[] }) {
  const key = route.value.more["table"];
  const table = tables.find((one) => one.key === key) ?? tables[0]!;
  const load = useFlatAnswer(table.key);
  return (
    <Page title="Tables" fill
      detail={<span class="sentence">{table.meaning}</span>} actions={<>
      <Choice tables={tables} value={table.key} /><StepsChoice /></>}>
      <Loaded what={table.title} load={load}>
        {(answer) => tablesIn(answer).map(({ title, column, data }, at) => (
          <Card key={title} class="table-card" title={title}>
            <Table label={title || table.title} data={data} usual={[]}
              prefix={at === 0 ? "" : `${at}.`} empty="No rows in this table."
              sql={column ? rowsOf(table.key, column) : tableOf(table.key)} />
          </Card>
        ))}
      </Loaded>
    </Page>
  );
}

export default function TablesView() {
  return (
    <Loaded whole what="The tables" load={useTables()}>
      {(tables) => <Content tables={tables.filter((one) =>
        !one.key.startsWith("compare"))} />}
    </Loaded>
  );
}

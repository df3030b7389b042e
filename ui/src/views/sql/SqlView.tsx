// SPDX-License-Identifier: Apache-2.0
//
// SQL over the trace, all ranks of a job or a dataset: an editor, what can be
// asked, and the rows as a table, a chart or a track of the timeline.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { SqlSchema } from "../../generated/answers.ts";
import { remedyOf } from "../../model/sql.ts";
import { useAnswer } from "../../state/load.ts";
import { route, setMore } from "../../state/route.ts";
import { ask, asked, stopAsking } from "../../state/sql.ts";
import { dataset, picked } from "../../state/trace.ts";
import { Prose } from "../../shell/Prose.tsx";
import { Icon } from "../../shell/icons.tsx";
import { Message } from "../../shell/Messages.tsx";
import { toast } from "../../shell/Toast.tsx";
import { Card, Loaded, Page } from "../parts.tsx";
import { Result } from "./Result.tsx";
import { Schema } from "./Schema.tsx";
import "../../styles/sql.css";

const FIRST = "SELECT name, count(*) AS calls, sum(dur_ns) AS total_ns\n" +
  "FROM events\nGROUP BY name\nORDER BY total_ns DESC\nLIMIT 20";

function Editor({ schema }: { schema: SqlSchema }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const typed = useSignal<string | null>(null);
  const text = typed.value ?? route.value.more["sql"] ?? FIRST;
  const busy = asked.value?.load.state === "loading";
  const put = (sql: string) => {
    typed.value = sql;
    box.current?.focus();
  };
  const run = () => {
    setMore("sql", text);
    typed.value = null;
    void ask(text);
  };
  const insert = (word: string) => {
    const { selectionStart: from, selectionEnd: to } = box.current!;
    put(text.slice(0, from) + word + text.slice(to));
    requestAnimationFrame(() => box.current?.setSelectionRange(
      from + word.length, from + word.length));
  };
  return (
    <div class="sql-columns">
      <Card class="sql-editor">
        <textarea ref={box} class="mono" spellcheck={false} value={text}
          aria-label="SQL" rows={9}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !event.ctrlKey && !event.metaKey)
              return;
            event.preventDefault();
            run();
          }} />
        <div class="row">
          <button class="button primary" disabled={busy} onClick={run}>
            Run <kbd>Ctrl</kbd><kbd>Enter</kbd></button>
          {busy && <button class="button" onClick={() => void stopAsking()}>
            Stop</button>}
          <label class="field">
            <span class="quiet">Named query</span>
            <select aria-label="Named query" value=""
              onChange={(event) => {
                const query = schema.queries.find((one) =>
                  one.name === event.currentTarget.value);
                if (query)
                  put(`-- ${query.meaning}\n${query.sql.trim()}`);
                event.currentTarget.value = "";
              }}>
              <option value="">choose…</option>
              {schema.queries.map((query) => (
                <option key={query.name} value={query.name}
                  title={query.meaning}>{query.name}</option>
              ))}
            </select>
          </label>
        </div>
      </Card>
      <Schema schema={schema} onPick={insert} />
    </div>
  );
}

/** A command is copied, not typed. */
function NoDuckdb({ why, command }: { why: string; command: string }) {
  const copy = () => navigator.clipboard.writeText(command).then(
    () => toast("Copied the command."),
    () => toast("The browser refused; select the command and copy it."));
  return (
    <Message title="SQL needs DuckDB" text={why + (command
      ? ". Install it with this command, then reload the page:" : "")}>
      {command && <>
        <pre class="install-command">{command.split(" && ").join(" &&\n")}
        </pre>
        <button class="button" onClick={() => void copy()}>
          <Icon name="copy" />Copy the command</button>
      </>}
    </Message>
  );
}

/** Whose tables they are. */
const subjectText = () => dataset.value ? "this dataset"
  : picked.value?.all ? "all traces of this job" : "this trace";

function Content({ schema }: { schema: SqlSchema }) {
  if (!schema.available) return <NoDuckdb {...remedyOf(schema.why)} />;
  const now = asked.value;
  return (
    <Page title="SQL" fill detail={"One statement that only reads the " +
      `tables of ${subjectText()}. At most 30 seconds, 1 GB and 10,000 rows.`}>
      <Editor schema={schema} />
      {now && <Card class="table-card sql-result">
        {now.load.state === "loading"
          ? <p class="nothing" role="status">Asking…</p>
          : now.load.state === "failed"
            ? <p class="nothing bad" role="alert">
              <Prose text={now.load.error} /></p>
            : <Result asked={now} rows={now.load.value} />}
      </Card>}
    </Page>
  );
}

export default function SqlView() {
  return (
    <Loaded whole what="What can be queried" load={useAnswer("sql_schema",
      { t: dataset.value || null })}>
      {(schema) => <Content schema={schema} />}
    </Loaded>
  );
}

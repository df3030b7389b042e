// SPDX-License-Identifier: Apache-2.0
//
// This trace against another: is a step slower, where, and is it more than
// noise?
import type {
  CompareDoc, DeclaredTable, RunInfo,
} from "../../generated/answers.ts";
import { UNKNOWN } from "../../model/cell.ts";
import { valueAt } from "../../model/declared.ts";
import {
  chipOf, choicesOf, jobText, PARTS, rowName, verdictTitle, type Choice,
} from "../../model/compare.ts";
import { countOf, formatCount, formatShare, formatTime }
  from "../../model/format.ts";
import { columnIndex, type Cell, type Column, type Data }
  from "../../model/table.ts";
import { Prose } from "../../shell/Prose.tsx";
import { useRows, useTables } from "../../state/documents.ts";
import { useTraceList } from "../../state/job.ts";
import { useAnswer } from "../../state/load.ts";
import { useOpened } from "../../state/opened.ts";
import { showOnTimeline, type Cells } from "../../state/locate.ts";
import { route, setMore } from "../../state/route.ts";
import { runs, trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { shortName } from "../../model/names.ts";
import { Message } from "../../shell/Messages.tsx";
import { Name } from "../../shell/Name.tsx";
import { Card, Loaded, Page, Segments } from "../parts.tsx";
import { useMemo } from "preact/hooks";

function Picker({ choices, other }: {
  choices: Choice[]; other: string;
}) {
  return (
    <label class="field compare-with">
      <span class="quiet">Compare with (A)</span>
      <select aria-label="Compare with" value={other} onChange={(event) =>
        setMore("with", event.currentTarget.value)}>
        <option value="">choose a trace</option>
        {choices.map((one) => (
          <option key={one.t} value={one.t}>{one.text}</option>
        ))}
      </select>
    </label>
  );
}

const lookOf = (part: string, device: boolean) => (
  cell: Cell, column: Column, data: Data, row: number) => {
  if (column.key === "beyond_noise") {
    const at = (key: string) => data.cell(row,
      data.columns.findIndex((one) => one.key.startsWith(key)));
    const chip = chipOf({ memory: part === "memory", beyond: cell === true,
      known: at("noise") !== null, difference: Number(at("difference")),
      nothing: at("a_") === 0 && at("b_") === 0 });
    return chip ? <span class={`chip ${chip.kind}`}>{chip.text}</span> : "–";
  }
  if (column.key === "name" && typeof cell === "string") {
    const words = rowName(part, cell, device);
    return words !== null ? <span class="words">{words}</span>
      : <Name text={cell} short={shortName(cell)} />;
  }
  return undefined;
};

function signed(share: number | null): string {
  return share === null ? UNKNOWN : (share > 0 ? "+" : share < 0 ? "−" : "") +
    formatShare(Math.abs(share));
}

/** Rows of operators are told apart by their shapes, where known. */
function shapesOf(data: Data, row: number): Cells {
  const shapes = data.cell(row, columnIndex(data, "shape"));
  return typeof shapes === "string" && shapes ? { shapes } : {};
}

/** What both sides are called where their files do not tell them apart. */
interface Sides { a: string; b: string }

function Result({ doc, tables, sides }: {
  doc: CompareDoc; tables: DeclaredTable[]; sides: Sides;
}) {
  const part = route.value.more["part"] ?? "waterfall";
  const table = PARTS.find((one) => one.value === part)?.table;
  const rows = useMemo(() => doc.rows.filter((row) => row.table === part),
    [doc, part]);
  const memory = part === "memory";
  const data = useRows(tables, memory ? "compare_memory" : "compare", rows);
  const unit = memory ? "_bytes" : "_ns";
  const shaped = data.count > 0 && rows.some((row) =>
    valueAt(row, "shape") !== "");
  return (
    <>
      <Card class={"verdict " + doc.verdict}>
        <h2>{verdictTitle(doc)}</h2>
        <dl class="strip">
          <div><dt>A, median</dt>
            <dd data-figure="a">{formatTime(doc.median_a_ns)}</dd></div>
          <div><dt>B, median</dt>
            <dd data-figure="b">{formatTime(doc.median_b_ns)}</dd></div>
          <div><dt>B − A</dt><dd>{signed(doc.ratio)}</dd></div>
          {doc.low !== null && <div><dt>95 % interval</dt>
            <dd>{signed(doc.low)} to {signed(doc.high)}</dd></div>}
          <div><dt>steps</dt><dd>
            {formatCount(doc.steps_a)} and {formatCount(doc.steps_b)}</dd></div>
          {doc.verdict === "same" && doc.resolvable !== null &&
            <div><dt>smallest that would show</dt>
              <dd>{formatShare(doc.resolvable)}</dd></div>}
        </dl>
        <p class="quiet">A is <span class="mono">
          {doc.name_a === "A" ? sides.a : doc.name_a}</span>, B is{" "}
          <span class="mono">{doc.name_b === "B" ? sides.b : doc.name_b}
          </span>.</p>
        <details>
          <summary>Details{doc.notes.length > 0 &&
            `, with ${countOf(doc.notes.length, "note")}`}</summary>
          <p><Prose text={doc.summary} /></p>
          <ul>{doc.notes.map((note) => (
            <li key={note}><Prose text={note} /></li>
          ))}</ul>
        </details>
      </Card>
      <Card class="table-card">
        <div class="tabs">
          <Segments label="Table" value={part}
            options={PARTS.map(({ value, text }) => ({ value, text }))}
            onPick={(value) => setMore("part", value)} />
        </div>
        <Table label="Differences" data={data} look={lookOf(part,
          doc.rows.some((row) => row.table === "kernel"))} topK
          usual={["name", ...(shaped ? ["shape"] : []), "a" + unit, "b" + unit,
            "difference" + unit, "ratio", "noise" + unit, "p",
            "beyond_noise"]}
          empty="Neither trace has rows of this kind."
          onShow={table ? (shown, row) => void showOnTimeline(
            table, String(shown.cell(row, 0)), shapesOf(shown, row))
            : undefined} />
      </Card>
    </>
  );
}

/** One of these is trace A. */
function Choices({ title, detail, choices }: {
  title: string; detail: string; choices: Choice[];
}) {
  return (
    <Card title={title} detail={detail}>
      <ul class="choices">{choices.map((one) => (
        <li key={one.t}><button class="link" onClick={() =>
          setMore("with", one.t)}>{one.text}</button></li>
      ))}</ul>
    </Card>
  );
}

/** Opens the other trace, then asks for the comparison. */
function Compared({ a, b, runs, sides }: {
  a: string; b: string; runs: RunInfo[]; sides: Sides;
}) {
  const opened = useOpened(a);
  const tables = useTables();
  const answer = useAnswer("compare",
    opened.state === "ready" && b ? { a, b } : null);
  if (opened.state === "failed" && opened.jobs)
    return <Choices title={`That run has traces of ${opened.jobs.length} jobs`}
      detail="choose the one to compare with" choices={opened.jobs.map((t) =>
        ({ t, text: jobText(runs, t) }))} />;
  if (opened.state === "failed")
    return <Card><p class="nothing bad" role="alert">The other trace could not
      be opened: {opened.error}</p></Card>;
  return (
    <Loaded what="The comparison" load={answer}>
      {(doc) => (
        <Loaded what="The columns" load={tables}>
          {(declared) => <Result doc={doc} tables={declared} sides={sides} />}
        </Loaded>
      )}
    </Loaded>
  );
}

export default function CompareView() {
  const b = trace.value?.t ?? "";
  // Which traces are of one job is known when they were read.
  const list = useTraceList(0);
  const listed = runs.value.state === "ready" ? runs.value.value.runs : [];
  const all = choicesOf(listed, list.state === "ready" ? list.value : null);
  const choices = all.filter((one) => one.t !== b);
  const other = route.value.more["with"] ?? "";
  const textOf = (t: string) => all.find((one) => one.t === t)?.text ??
    jobText(listed, t);
  if (choices.length === 0)
    return <Message title="There is nothing to compare with"
      text={runs.value.state === "ready" && runs.value.value.one_file
        ? "This server shows one file. Start it with both files, as in " +
          "`stepscope view BEFORE AFTER`, or with the folder they are in."
        : "This folder has one trace. Put another trace of the same program " +
          "beside it to compare the two."} />;
  const offered = !other || choices.some((one) => one.t === other) ? choices
    : [...choices, { t: other, text: textOf(other) }];
  return (
    <Page title="Compare" fill detail={"B is the trace chosen above. Figures " +
      "are per step: medians of settled steps."}
    actions={<Picker choices={offered} other={other} />}>
      {other ? <Compared a={other} b={b} runs={listed}
        sides={{ a: textOf(other), b: textOf(b) }} />
        : <Choices title="Choose trace A" choices={choices}
          detail="the one before the change; B is the one chosen above" />}
    </Page>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// All steps: how long, which are odd and why, and all of them laid over each
// other.
import type { SummaryDoc } from "../../generated/answers.ts";
import { Swatch } from "../../charts/charts.tsx";
import { countOf, formatCount, formatTime } from "../../model/format.ts";
import { hasRanks } from "../../model/layout.ts";
import { tableOf } from "../../model/sql.ts";
import { stepFacts, stepMeaning } from "../../model/step_facts.ts";
import { partColour, partTitle } from "../../model/waterfall.ts";
import type { Data } from "../../model/table.ts";
import { useFlatTable, useSummary } from "../../state/documents.ts";
import { route, setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { rankLook } from "../../table/looks.tsx";
import { Table } from "../../table/Table.tsx";
import { Message } from "../../shell/Messages.tsx";
import { hasDevice, StepColumns } from "../overview/StepCard.tsx";
import { Card, Loaded, Page, Segments, StepsChoice } from "../parts.tsx";
import { Folded } from "./Folded.tsx";
import { showStep } from "./show.ts";

const showRow = (doc: SummaryDoc) => (data: Data, row: number) => {
  const at = (key: string) =>
    data.columns.findIndex((column) => column.key === key);
  const number = (key: string) => {
    const cell = at(key) < 0 ? null : data.cell(row, at(key));
    return typeof cell === "number" ? cell : undefined;
  };
  showStep(doc, Number(data.cell(row, at("index"))), number("pid"),
    number("start_ns"));
};

function Percentiles({ doc }: { doc: SummaryDoc }) {
  const facts = stepFacts(doc.step_time);
  return facts.length === 0 ? null : (
    <dl class="strip">
      {facts.map(({ title, text }) => (
        <div key={title}><dt>{title}</dt>
          <dd data-figure={title}>{text}</dd></div>
      ))}
    </dl>
  );
}

function Chart({ doc }: { doc: SummaryDoc }) {
  return (
    <Card title="Each step" detail={`${stepMeaning(doc.step_time)}, by part; ` +
      "a click shows it on the timeline"}>
      <div class="card-chart"><StepColumns doc={doc} height={190} /></div>
      <p class="chart-legend">{doc.waterfall!.parts
        .filter((part) => part.time_ns > 0)
        .map((part) => (
          <span key={part.name}><Swatch hue={partColour(part.name)} />
            {partTitle(part.name, hasDevice(doc))}</span>
        ))}
      {doc.steps.some((step) => step.warmup) &&
        <span class="quiet">pale: warm-up</span>}</p>
    </Card>
  );
}

function Steps({ doc }: { doc: SummaryDoc }) {
  const ranks = hasRanks(trace.value?.info.groups ?? []);
  return (
    <Loaded what="The steps" load={useFlatTable("steps")}>
      {(data) => (
        <Table label="Steps" sql={tableOf("steps")} data={data}
          onShow={showRow(doc)} ascending look={rankLook}
          usual={["index", ...ranks ? ["rank"] : [], "start_ns", "period_ns",
            "dur_ns", "warmup"]} usualSort="index" />
      )}
    </Loaded>
  );
}

function Outliers({ doc }: { doc: SummaryDoc }) {
  return (
    <Loaded what="The outliers" load={useFlatTable("outliers")}>
      {(data) => (
        <Table label="Outliers" sql={tableOf("outliers")} data={data}
          prefix="odd." onShow={showRow(doc)} look={(cell, column) =>
            column.key === "cause" && typeof cell === "string"
              ? partTitle(cell, hasDevice(doc)) : undefined}
          usual={["index", "start_ns", "dur_ns", "median_ns", "excess_ns",
            "cause", "cause_excess_ns"]} usualSort="excess_ns"
          empty="No step takes much longer than the median." />
      )}
    </Loaded>
  );
}

function Content({ doc }: { doc: SummaryDoc }) {
  const tab = route.value.more["tab"] ?? "";
  return (
    <Page title="Steps" fill actions={<StepsChoice />}
      detail={"Time from the start of a step to the start of the next. " +
        (doc.outliers.length === 0 ? "No outliers."
        : `${countOf(doc.outliers.length, "outlier")}; the longest takes ` +
          `${formatTime(doc.outliers[0]!.excess_ns)} more than the median: ` +
          partTitle(doc.outliers[0]!.cause, hasDevice(doc)))}>
      <Percentiles doc={doc} />
      {doc.waterfall && <Chart doc={doc} />}
      <Card class="table-card">
        <div class="tabs">
          <Segments label="Table" value={tab} options={[
            { value: "", text: "All steps" },
            { value: "outliers",
              text: `Outliers (${formatCount(doc.outliers.length)})` },
            { value: "folded", text: "Folded" },
          ]} onPick={(value) => setMore("tab", value)} />
        </div>
        {tab === "outliers" ? <Outliers doc={doc} />
          : tab === "folded" ? <Folded />
            : <Steps doc={doc} />}
      </Card>
    </Page>
  );
}

export default function StepsView() {
  const summary = useSummary();
  return (
    <Loaded whole what="Steps" load={summary}>
      {(doc) => doc.steps.length === 0
        ? <Message title="No steps in this trace" text={"Call step() after " +
          "each batch, or mark it by a range named `ProfileStep`."} />
        : <Content doc={doc} />}
    </Loaded>
  );
}

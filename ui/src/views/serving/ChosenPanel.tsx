// SPDX-License-Identifier: Apache-2.0
//
// The chosen request or iteration: its figures, and what they have of each
// other.
import type {
  FlatTable, IterationInfo, RequestInfo,
} from "../../generated/answers.ts";
import { cellText } from "../../model/cell.ts";
import { valueOf } from "../../model/declared.ts";
import { countOf, formatCount, formatTime } from "../../model/format.ts";
import { kindTitle, requestName } from "../../model/serving.ts";
import { Icon } from "../../shell/icons.tsx";
import { useAnswer } from "../../state/load.ts";
import { choose, chosen } from "../../state/serving.ts";
import { trace } from "../../state/trace.ts";
import { Loaded } from "../parts.tsx";
import { isOfHost, KindName, useFlat } from "./KindsCard.tsx";

/** Rows of a list that are elements; more are counted. */
const MOST_LISTED = 300;

/** Of the declared columns, those with a value that the head does not say. */
const LEFT_OUT = new Set(["id", "name", "kind", "repeats_another_rank"]);

function Facts({ table, device }: { table: FlatTable; device: boolean }) {
  const data = useFlat(table);
  return (
    <dl class="facts">
      {data.columns.map((column, at) => {
        const cell = data.cell(0, at);
        return cell === null || LEFT_OUT.has(column.key) ||
          !device && !isOfHost(column.key) ? null : (
          <div key={column.key} title={column.meaning}>
            <dt>{column.title}</dt>
            <dd data-figure={column.key}>{cellText(cell, column, "auto")}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function List({ title, count, table, device, text, onPick }: {
  title: string; count: number; table: FlatTable; device: boolean;
  text: (row: number) => string; onPick: (row: number) => void;
}) {
  const listed = table.rows.slice(0, MOST_LISTED);
  return (
    <>
      <h4>{title}</h4>
      {listed.length < count && <p class="quiet">The first{" "}
        {formatCount(listed.length)} of {formatCount(count)}.</p>}
      <ol class="parts-of" tabIndex={0} aria-label={title}>
        {listed.map((_, row) => (
          <li key={row}><button onClick={() => onPick(row)}>
            <span class="mono">{text(row)}</span>
            <KindName kind={String(valueOf(table, row, "kind"))} />
            <span class="quiet">
              {countOf(Number(valueOf(table, row, "tokens")), "token")}</span>
            {device && <span class="quiet">
              {formatTime(Number(valueOf(table, row, "gpu_ns")))}</span>}
          </button></li>
        ))}
      </ol>
    </>
  );
}

function Head({ title, onShow }: { title: string; onShow: () => void }) {
  return (
    <header>
      <h3 title={title}>{title}</h3>
      <button class="icon-button" aria-label="Clear the choice"
        title="Clear the choice" onClick={() => choose({})}>
        <Icon name="close" /></button>
      <button class="button small" onClick={onShow}>
        Show on timeline</button>
    </header>
  );
}

interface Panel {
  onShow: (start: number, end: number) => void;
  /** The rule by which device time is shared. */
  bill: string;
  /** Whether a device was recorded. */
  device: boolean;
}

type Part<Info> = Omit<Panel, "bill"> & { info: Info };

function RequestPart({ info, onShow, device }: Part<RequestInfo>) {
  return (
    <>
      <Head title={requestName(info.id, info.index)}
        onShow={() => onShow(info.start, info.start + Math.max(1, info.dur))}
      />
      <Facts table={info.cells} device={device} />
      <List title={countOf(info.iteration_count, "iteration")}
        count={info.iteration_count} table={info.iterations} device={device}
        text={(row) => `#${valueOf(info.iterations, row, "iteration")}`}
        onPick={(row) => choose({ iteration:
          Number(valueOf(info.iterations, row, "iteration")) })} />
    </>
  );
}

function IterationPart({ info, onShow, device }: Part<IterationInfo>) {
  return (
    <>
      <Head title={`Iteration ${info.index}: ${kindTitle(info.kind)}`}
        onShow={() => onShow(info.start, info.until)} />
      <Facts table={info.cells} device={device} />
      {info.member_count > 0 && <List
        title={countOf(info.member_count, "request")}
        count={info.member_count} table={info.members} device={device}
        text={(row) => requestName(String(valueOf(info.members, row, "id")),
          Number(valueOf(info.members, row, "request")))}
        onPick={(row) => choose({ request:
          Number(valueOf(info.members, row, "request")) })} />}
    </>
  );
}

function Content({ bill, ...props }: Panel) {
  const { t } = trace.value!;
  const { request, iteration } = chosen.value;
  const ofRequest = useAnswer("request",
    request === null ? null : { t, index: request, bill });
  const ofIteration = useAnswer("iteration",
    iteration === null ? null : { t, index: iteration, bill });
  if (request !== null)
    return <Loaded what="The request" load={ofRequest}>
      {(info) => <RequestPart info={info} {...props} />}</Loaded>;
  if (iteration !== null)
    return <Loaded what="The iteration" load={ofIteration}>
      {(info) => <IterationPart info={info} {...props} />}</Loaded>;
  return <p class="quiet">Choose an iteration, or a request: its iterations
    stand out, and so do its kernels on the timeline.</p>;
}

export function ChosenPanel(props: Panel) {
  return (
    <aside class="serving-chosen" aria-label="Chosen request or iteration">
      <Content {...props} />
    </aside>
  );
}

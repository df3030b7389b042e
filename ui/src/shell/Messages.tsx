// SPDX-License-Identifier: Apache-2.0
//
// What stands in place of a view: nothing there, on its way, or failed. Each
// says what happened and what to do.
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { keepToken, tokenInText } from "../api/token.ts";
import { formatBytes } from "../model/format.ts";
import { Prose } from "./Prose.tsx";
import { SkippedFiles } from "./SkippedFiles.tsx";
import {
  addressOf, jobName, pickWindow, workersOfJob,
} from "../model/pick.ts";
import type { RunInfo } from "../generated/answers.ts";
import { otherTrace } from "../model/route.ts";
import { navigate } from "../state/route.ts";
import {
  cancelOpening, dataset, opening, picked, reopen, retryRuns, runs,
} from "../state/trace.ts";

export function Message(
  { title, text, children, role = "status" }: {
    title: string;
    text?: string;
    children?: ComponentChildren;
    role?: "status" | "alert";
  }) {
  return (
    <div class="message" role={role}>
      <h1>{title}</h1>
      {text && <p><Prose text={text} /></p>}
      {children}
    </div>
  );
}

export function Failed(
  { what, error, retry }: {
    what: string;
    error: string;
    retry?: () => void;
  }) {
  return (
    <Message title={what} text={error} role="alert">
      {retry && (
        <div class="row">
          <button class="button" onClick={retry}>Try again</button>
        </div>
      )}
    </Message>
  );
}

export function AskToken() {
  const [text, setText] = useState("");
  const [bad, setBad] = useState(false);
  return (
    <Message title="This server needs its token"
      text={"Open the address that `stepscope view` printed, or paste it " +
        "here. A restarted server has a new one."}>
      <form class="row" onSubmit={(event) => {
        event.preventDefault();
        const token = tokenInText(text);
        if (!token) return setBad(true);
        keepToken(token);
        retryRuns();
      }}>
        <input value={text} aria-label="Address or token" autofocus
          placeholder="http://127.0.0.1:8080/#token=…"
          onInput={(event) => setText(event.currentTarget.value)} />
        <button class="button primary">Open</button>
      </form>
      {bad && <p role="alert">That is neither an address with a token nor a
        token.</p>}
    </Message>
  );
}

/** What was to be shown as one is of several jobs: which of them? */
function ChooseJob({ jobs }: { jobs: string[] }) {
  const run = picked.value?.run;
  if (!run) return null;
  return (
    <Message title={`This run has traces of ${jobs.length} jobs`}
      text={"Only the ranks of one job have a common timeline. Choose the " +
        "job to look at, or one of the workers above."}>
      <div class="column">
        {jobs.map((job) => (
          <button key={job} class="button" onClick={() => navigate(otherTrace({
            worker: job.includes(".") ? job
              : workersOfJob(run, job)[0]?.id ?? "",
            window: "" }), true)}>
            {jobName(run, job)}
          </button>
        ))}
      </div>
    </Message>
  );
}

/** An address of a trace that the folder does not have. */
function NotHere({ runs }: { runs: RunInfo[] }) {
  const first = pickWindow(runs, { run: "", worker: "", window: "" });
  return (
    <Message title="This trace is not here" role="alert"
      text={"The address names a trace that this folder does not have. " +
        "It may have been moved or deleted, or the server shows another " +
        "folder."}>
      {first?.window && <div class="row">
        <button class="button" onClick={() =>
          navigate(otherTrace(addressOf(first)), true)}>
          Open {first.window.file ?? first.window.name}</button>
      </div>}
    </Message>
  );
}

const STAGES: Record<string, string> = {
  reading: "Reading the file",
  building: "Building the timeline",
};

function Opening(
  { done, total, stage }: { done?: number; total?: number; stage?: string }) {
  const known = total !== undefined && total > 0;
  const text = known
    ? `${formatBytes(done ?? 0)} of ${formatBytes(total)}` : "";
  return (
    <Message title={STAGES[stage ?? ""] ?? "Opening the trace"} text={text}>
      {known
        ? <progress value={done ?? 0} max={total} aria-label="Import" />
        : <progress aria-label="Import" />}
      <div class="row">
        <button class="button" onClick={() => void cancelOpening()}>
          Cancel
        </button>
      </div>
    </Message>
  );
}

/**
 * What to show instead of a view, or null when a trace is open. The timeline
 * has a preview before that; some views need none.
 */
export function traceMessage(onTimeline: boolean, withoutTrace: boolean) {
  const listed = runs.value;
  if (listed.state === "loading") return <Message title="Looking for traces" />;
  if (listed.state === "failed")
    return (
      <Failed what="The list of runs could not be read"
        error={`${listed.error}. Is \`stepscope view\` still running?`}
        retry={retryRuns} />
    );
  if (dataset.value && !withoutTrace)
    return (
      <Message title="This folder is a dataset" text={"Query its tables in " +
        "SQL. The other views need a trace: `stepscope view TRACE`."}>
        <div class="row">
          <button class="button primary" onClick={() =>
            navigate({ view: "sql", more: {} }, true)}>Ask in SQL</button>
        </div>
      </Message>
    );
  if (!dataset.value && listed.value.runs.length === 0 && !picked.value?.gone)
    return (
      <Message title="No traces here yet"
        text={`The folder \`${listed.value.folder}\` has no file that ` +
          "stepscope can read. Record one with `stepscope run -- COMMAND`, " +
          "or copy one there: it will appear on this page."}>
        <SkippedFiles listed={listed.value} open />
      </Message>
    );
  if (withoutTrace) return null;
  if (!picked.value) return <NotHere runs={listed.value.runs} />;
  const now = opening.value;
  switch (now.state) {
    case "ready":
      return null;
    case "none":
      return <Message title="This run has no trace" text={
        "Choose another run or worker above."} />;
    case "preview":
      return onTimeline ? null : <Opening {...now.progress} />;
    case "loading":
      return <Opening {...now.progress} />;
    case "cancelled":
      return (
        <Message title="Opening was cancelled">
          <div class="row">
            <button class="button primary" onClick={reopen}>
              Open it again
            </button>
          </div>
        </Message>
      );
    case "failed":
      return now.jobs ? <ChooseJob jobs={now.jobs} /> : (
        <Failed what="This trace could not be opened" error={now.error}
          retry={reopen} />
      );
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// Which run, worker and window is shown; search; a link to what is seen.
import { signal } from "@preact/signals";
import { ALL_WORKERS, inOtherRun, windowTitle } from "../model/pick.ts";
import { countOf } from "../model/format.ts";
import { otherTrace } from "../model/route.ts";
import { navigate, route } from "../state/route.ts";
import {
  atStart, dataset, dismissFresh, fresh, picked, runs, trace,
} from "../state/trace.ts";
import { submitSearch } from "../state/search.ts";
import { Icon } from "./icons.tsx";
import { Name } from "./Name.tsx";
import { toast } from "./Toast.tsx";

/** Names of so many letters are whole, however narrow the window is. */
const SHORT = 15;

function Picker(
  { label, value, options, onPick }: {
    label: string;
    value: string;
    options: { value: string; text: string }[];
    onPick: (value: string) => void;
  }) {
  const text = options.find((one) => one.value === value)?.text ?? "none";
  return (
    <label class={"picker" + (text.length <= SHORT ? " short" : "")}
      title={`${label}: ${text}`}>
      <span class="quiet">{label}</span>
      <b><Name text={text} /></b>
      <Icon name="down" />
      <select aria-label={label} value={value}
        onChange={(event) => onPick(event.currentTarget.value)}>
        {options.map((one) => (
          <option key={one.value} value={one.value}>{one.text}</option>
        ))}
      </select>
    </label>
  );
}

function Pickers() {
  const now = picked.value;
  if (!now || runs.value.state !== "ready" || atStart.value || dataset.value)
    return null;
  const workers = now.run.workers.map((worker) =>
    ({ value: worker.id, text: worker.name }));
  if (now.run.all)
    workers.unshift({ value: ALL_WORKERS, text: now.run.all.name || "all" });
  const job = now.all && now.window !== now.run.all ? now.window : null;
  if (job) workers.unshift({ value: job.t, text: job.name });
  const listed = runs.value.value.runs;
  const all = listed.some((run) => run.id === now.run.id) ? listed
    : [now.run, ...listed];
  return (
    <>
      <Picker label="Run" value={now.run.id}
        options={all.map((run) => ({ value: run.id, text: run.name }))}
        onPick={(run) =>
          navigate(otherTrace(inOtherRun(all, run, now)), true)} />
      <Picker label="Worker"
        value={job ? job.t : now.all ? ALL_WORKERS : now.worker?.id ?? ""}
        options={workers}
        onPick={(worker) => navigate(otherTrace({ worker }), true)} />
      <Picker label="Window" value={now.window?.t ?? ""}
        options={now.windows.map((one) => ({ value: one.t,
          text: windowTitle(one.name, now.all ? one.name : now.worker?.name,
            one === now.window ? trace.value?.info.steps : []) +
            (now.gone && one === now.window ? " (deleted)" : "") }))}
        onPick={(window) => navigate(otherTrace({ window }), true)} />
    </>
  );
}

/** What came since; nobody is taken away from what they read. */
function NewTraces() {
  const list = fresh.value;
  return (
    <span role="status" class="offer">
      {list.length > 0 && (
        <details>
          <summary class="button">{countOf(list.length, "new trace")}</summary>
          <div class="menu">
            {list.slice(0, 12).map(({ run, worker, window }) => (
              <button key={window.t} class="menu-item" onClick={() => {
                dismissFresh();
                navigate(otherTrace({ run: run.id, worker: worker.id,
                  window: window.t }), true);
              }}>{window.file ?? window.name}</button>
            ))}
            {list.length > 12 && <p class="quiet">
              The lists of runs and workers have all of them.</p>}
            <button class="menu-item quiet" onClick={dismissFresh}>
              Dismiss</button>
          </div>
        </details>
      )}
    </span>
  );
}

const typed = signal<string | null>(null);

function SearchBox() {
  const text = typed.value ?? route.value.query;
  return (
    <form class="search-box" role="search" onSubmit={(event) => {
      event.preventDefault();
      // Read now: what was typed last may not be rendered yet.
      submitSearch(typed.value ?? route.value.query);
    }}>
      <Icon name="search" />
      <input id="search" type="text" value={text} autocomplete="off"
        spellcheck={false} aria-label="Find an operator or kernel"
        placeholder="Find an operator or kernel"
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
        onBlur={() => {
          typed.value = null;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.shiftKey) {
            event.preventDefault();
            submitSearch(text, "previous");
          } else if (event.key === "Escape") {
            event.currentTarget.blur();
          }
        }} />
      <kbd>/</kbd>
    </form>
  );
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    toast("Link copied. It carries the view, not the token.");
  } catch {
    toast("The browser refused; copy the address bar instead.");
  }
}

export function TopBar() {
  return (
    <header class="topbar">
      <Pickers />
      <NewTraces />
      <div class="space" />
      {!atStart.value && !dataset.value && <SearchBox />}
      <button class="button" onClick={() => void copyLink()}>
        <Icon name="copy" />Copy link
      </button>
    </header>
  );
}

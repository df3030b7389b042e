// SPDX-License-Identifier: Apache-2.0
//
// The traces of the folder as a list, and the job of a trace, which the server
// reads trace by trace: asked again until all is known.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { queryOf, type Params } from "../api/client.ts";
import type { Answers, JobInfo, TraceList } from "../generated/answers.ts";
import { api } from "./api.ts";
import { errorText, type Load } from "./load.ts";
import { runs } from "./trace.ts";

const AGAIN_MS = 700;

const generation = () => runs.value.state === "ready"
  ? runs.value.value.generation : 0;

/** Asks until `isOver`, and anew when the folder changes. */
function useUntil<P extends "job" | "traces">(path: P, params: Params | null,
  isOver: (value: Answers[P]) => boolean): Load<Answers[P]> {
  type T = Answers[P];
  const key = params ? path + queryOf(params) : "";
  const answer = useSignal<{ key: string; load: Load<T> }>(
    { key: "", load: { state: "loading" } });
  const of = generation();
  useEffect(() => {
    if (!params) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      try {
        const value: T = await api.get(path, params, stop.signal);
        answer.value = { key, load: { state: "ready", value } };
        if (!isOver(value)) timer = setTimeout(() => void ask(), AGAIN_MS);
      } catch (error) {
        if (!stop.signal.aborted)
          answer.value =
            { key, load: { state: "failed", error: errorText(error) } };
      }
    };
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, of]);
  return answer.value.key === key ? answer.value.load : { state: "loading" };
}

const isListed = (list: TraceList) => list.traces.every((one) =>
  one.state !== "waiting" && one.state !== "reading" &&
  one.state !== "recording");

/** `asked` changes where something is to be read that was not. */
export const useTraceList = (asked: number) =>
  useUntil("traces", { asked }, isListed);

export const useJob = (t: string, peak: string) => useUntil("job",
  t ? { t, "link-peak": peak || null } : null,
  (job: JobInfo) => job.state === "ready");

// SPDX-License-Identifier: Apache-2.0
//
// Something that is asked from the server: on its way, there, or refused.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { queryOf, type Params } from "../api/client.ts";
import type { Answers, Progress } from "../generated/answers.ts";
import { api } from "./api.ts";
import { isKept, keep, keptAnswer } from "./kept.ts";

export type Load<T> =
  | { state: "loading" }
  | { state: "ready"; value: T }
  | { state: "failed"; error: string; jobs?: string[] };

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What was to be opened as one is of several jobs. */
class SeveralJobs extends Error {
  readonly jobs: string[];
  constructor(message: string, jobs: string[]) {
    super(message);
    this.jobs = jobs;
  }
}

/** Fails unless an import ended well. */
export function expectReady({ state, error, jobs }: Progress): void {
  if (state === "ready") return;
  const text = error || "the import stopped before it was finished";
  throw jobs ? new SeveralJobs(text, jobs) : new Error(text);
}

export function failed(error: unknown)
  : { state: "failed"; error: string; jobs?: string[] } {
  return { state: "failed", error: errorText(error),
    ...error instanceof SeveralJobs ? { jobs: error.jobs } : {} };
}

/** Asks `path` while the component shows; `null` params: asks nothing. */
export function useAnswer<P extends keyof Answers>(
  path: P, params: Params | null): Load<Answers[P]> {
  type T = Answers[P];
  const key = params ? path + queryOf(params) : "";
  const answer = useSignal<{ key: string; load: Load<T> }>(
    { key: "", load: { state: "loading" } });
  useEffect(() => {
    if (!params || isKept(key)) return;
    const stop = new AbortController();
    api.get(path, params, stop.signal).then(
      (value) => {
        keep(key, params, value);
        answer.value = { key, load: { state: "ready", value } };
      },
      (error) => {
        if (!stop.signal.aborted)
          answer.value =
            { key, load: { state: "failed", error: errorText(error) } };
      });
    return () => stop.abort();
  }, [key]);
  if (isKept(key)) return { state: "ready", value: keptAnswer(key) as T };
  return answer.value.key === key ? answer.value.load : { state: "loading" };
}

// SPDX-License-Identifier: Apache-2.0
//
// The documents of the shown trace, asked once and shared by the views.
import type { DeclaredTable, FlatTable } from "../generated/answers.ts";
import {
  columnsOf, declaredTable, fromFlat, fromObjects,
} from "../model/declared.ts";
import type { Data } from "../model/table.ts";
import { useMemo } from "preact/hooks";
import { useAnswer, type Load } from "./load.ts";
import { route } from "./route.ts";
import { trace } from "./trace.ts";

/** Which steps the tables are of, from the address; "": all. */
export const chosenSteps = () => route.value.more["steps"] ?? "";

function params(): { t: string; steps?: string } | null {
  const open = trace.value;
  if (!open) return null;
  const steps = chosenSteps();
  return steps ? { t: open.t, steps } : { t: open.t };
}

export const useSummary = () => useAnswer("summary", params());
/** Of memory alone: the whole takes many times as long of a large snapshot. */
export function useMemorySummary() {
  const base = params();
  return useAnswer("summary", base && { ...base, views: "memory" });
}
export const useAdvice = () => useAnswer(
  "advise", trace.value ? { t: trace.value.t } : null);
/** The declarations of all tables: the same for every trace. */
export function useTables(): Load<DeclaredTable[]> {
  const answer = useAnswer("tables", {});
  return answer.state === "ready"
    ? { state: "ready", value: answer.value.tables } : answer;
}

/** A table of its own request: what is not part of the summary. */
export function useFlatAnswer(
  name: string, more: Record<string, string> | null = {}): Load<FlatTable> {
  const base = more === null ? null : params();
  return useAnswer("table", base ? { ...base, name, ...more } : null);
}
export function useFlatTable(
  name: string, more: Record<string, string> | null = {}): Load<Data> {
  const answer = useFlatAnswer(name, more);
  const value = answer.state === "ready" ? answer.value : null;
  const data = useMemo(() => value && fromFlat(value), [value]);
  return data ? { state: "ready", value: data } : answer as Load<Data>;
}

/** Rows of a document under the declared columns of a table. */
export function useRows(tables: DeclaredTable[] | undefined, key: string,
  rows: unknown[], inner: string[] = [], nested?: string): Data {
  return useMemo(() => {
    const table = declaredTable(tables, key);
    const columns = nested
      ? table?.columns.find((one) => one.key === nested)?.columns
      : table?.columns;
    return fromObjects(columnsOf(columns ?? []), rows, inner);
  }, [tables, key, rows, nested]);
}

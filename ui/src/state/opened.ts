// SPDX-License-Identifier: Apache-2.0
//
// Opens a trace beside the shown one: another worker, the other side of a
// comparison.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TraceInfo } from "../generated/answers.ts";
import { learnShort } from "../model/names.ts";
import { api } from "./api.ts";
import { forget, noteTrace } from "./kept.ts";
import { expectReady, failed, type Load } from "./load.ts";
import { reopen, traceId } from "./trace.ts";

/**
 * Resolves to what the server says of the trace when it is open; fails with
 * the server's reason.
 */
export async function openTrace(
  t: string, stop: AbortSignal): Promise<TraceInfo> {
  let last = await api.post("open", { t }, stop);
  if (last.state !== "ready") forget(t);
  if (last.state === "loading")
    await api.lines("progress", { t }, (line) => {
      last = line;
    }, stop);
  expectReady(last);
  const info = await api.get("trace", { t }, stop);
  learnShort(info.short);
  const changed = noteTrace(t, info);
  // The shown one is another now: all that is seen of it, too.
  if (changed && t === traceId.value) void reopen();
  return info;
}

export function useOpened(t: string): Load<string> {
  const state = useSignal<{ t: string; load: Load<string> }>(
    { t: "", load: { state: "loading" } });
  useEffect(() => {
    const stop = new AbortController();
    openTrace(t, stop.signal).then(() => {
      state.value = { t, load: { state: "ready", value: t } };
    }, (error) => {
      if (!stop.signal.aborted)
        state.value = { t, load: failed(error) };
    });
    return () => stop.abort();
  }, [t]);
  return state.value.t === t ? state.value.load : { state: "loading" };
}

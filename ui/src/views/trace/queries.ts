// SPDX-License-Identifier: Apache-2.0
//
// What is asked for when the selection of a box or an overlay changes.
import { effect } from "@preact/signals";
import { formatTracks } from "../../model/tiles.ts";
import { api } from "../../state/api.ts";
import { errorText } from "../../state/load.ts";
import { isPreview, trace } from "../../state/trace.ts";
import { toast } from "../../shell/Toast.tsx";
import * as s from "./store.ts";

export function loadBox(): () => void {
  let current = new AbortController();
  let last = "";
  const stop = effect(() => {
    const box = s.box.value;
    const t = isPreview.value ? undefined : trace.value?.t;
    const key = box && t ? `${t}/${JSON.stringify(box)}` : "";
    if (key === last) return;
    last = key;
    current.abort();
    if (!box || !t) {
      s.boxAnswer.value = null;
      return;
    }
    current = new AbortController();
    const { signal } = current;
    s.boxAnswer.value = { state: "loading" };
    api.get("select", {
      t, t0: Math.round(box.t0), t1: Math.round(box.t1),
      tracks: formatTracks(box.tracks),
    }, signal).then(
      (value) => {
        s.boxAnswer.value = { state: "ready", value };
      },
      (error) => {
        if (!signal.aborted)
          s.boxAnswer.value = { state: "failed", error: errorText(error) };
      });
  });
  return () => {
    stop();
    current.abort();
  };
}

export function loadCritical(): () => void {
  let asked = "";
  return effect(() => {
    const t = isPreview.value ? undefined : trace.value?.t;
    if (!t || !s.pathShown.value || asked === t) return;
    asked = t;
    s.critical.value = [];
    api.get("critical", { t }).then(
      (answer) => {
        s.critical.value = answer.segments;
        if (answer.segments.length === 0)
          toast("This trace has no critical path: no step is recorded.");
      },
      (error) => toast(`No critical path: ${errorText(error)}.`));
  });
}

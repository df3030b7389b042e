// SPDX-License-Identifier: Apache-2.0
//
// The report of this trace as one file, as `stepscope report` writes it.
import { useSignal } from "@preact/signals";
import { saveFile } from "../../shell/save_file.ts";
import { toast } from "../../shell/Toast.tsx";
import { api } from "../../state/api.ts";
import { chosenSteps } from "../../state/documents.ts";
import { errorText } from "../../state/load.ts";
import { picked, trace } from "../../state/trace.ts";

/** Names of traces may hold what a file name may not. */
const fileName = (name: string) =>
  (name.replace(/[^\w.-]+/g, "_").slice(0, 80) || "trace") + ".report.html";

export function ExportReport() {
  const busy = useSignal(false);
  const save = async () => {
    const t = trace.value?.t;
    if (!t || busy.value) return;
    busy.value = true;
    try {
      const html = await api.bytes("report",
        { t, steps: chosenSteps() || undefined });
      saveFile(fileName(picked.value?.window?.name ?? ""), html, "text/html");
    } catch (error) {
      toast(`The report could not be made: ${errorText(error)}`);
    } finally {
      busy.value = false;
    }
  };
  return (
    <button class="button" disabled={busy.value} onClick={() => void save()}
      title="One file that opens without this server">
      {busy.value ? "Making the report…" : "Export report"}
    </button>
  );
}

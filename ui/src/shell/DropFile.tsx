// SPDX-License-Identifier: Apache-2.0
//
// Files can be dropped anywhere on the page.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatBytes } from "../model/format.ts";
import { cancelDrop, dropFiles, dropping } from "../state/drop.ts";
import { Prose } from "./Prose.tsx";

const hasFiles = (event: DragEvent) =>
  event.dataTransfer?.types.includes("Files") ?? false;

function Coming() {
  const now = dropping.value;
  if (!now) return null;
  return (
    <div class="toast" role={now.error ? "alert" : "status"}>
      {now.error
        ? <span><b>{now.name}</b> was not opened:{" "}
          <Prose text={now.error} /></span>
        : <span>Taking <b>{now.name}</b>: {formatBytes(now.done)} of{" "}
          {formatBytes(now.total)}</span>}
      <button class="link" onClick={cancelDrop}>
        {now.error ? "Close" : "Cancel"}</button>
    </div>
  );
}

export function DropFile() {
  const over = useSignal(false);
  useEffect(() => {
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      over.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) over.value = false;
    };
    const drop = (event: DragEvent) => {
      over.value = false;
      if (!hasFiles(event)) return;
      // Else the browser leaves the page for the file.
      event.preventDefault();
      void dropFiles([...event.dataTransfer!.files]);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragover", enter);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragover", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return (
    <>
      {over.value && <div class="drop-here"><p>Drop a trace to open it</p>
      </div>}
      <Coming />
    </>
  );
}

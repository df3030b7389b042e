// SPDX-License-Identifier: Apache-2.0
import type { Runs } from "../generated/answers.ts";
import { countOf, formatCount } from "../model/format.ts";

/** Files of the folder that are not shown, and why. */
export function SkippedFiles({ listed, open = false }: {
  listed: Pick<Runs, "skipped" | "skipped_count">;
  open?: boolean;
}) {
  const { skipped, skipped_count: count } = listed;
  if (count === 0) return null;
  return (
    <details class="skipped" open={open}>
      <summary>{countOf(count, "file")}{" "}
        {count === 1 ? "is" : "are"} not shown</summary>
      <ul>{skipped.map(({ file, why }) =>
        <li key={file}><b>{file}</b> {why}</li>)}
      {count > skipped.length &&
        <li>These are the first {formatCount(skipped.length)}.</li>}</ul>
    </details>
  );
}

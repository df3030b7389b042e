// SPDX-License-Identifier: Apache-2.0
//
// A peak that the reader states, kept in the address.
import { route, setMore } from "../state/route.ts";

export function PeakField({ param, text, hint, stated }: {
  /** Its name in the address. */
  param: string;
  text: string;
  hint: string;
  /** As the server or the trace has it. */
  stated?: number | null;
}) {
  return (
    <label class="field" title={hint}>
      <span class="quiet">{text}</span>
      <input type="number" min="0" step="any" inputMode="decimal"
        value={route.value.more[param] ?? ""} aria-label={text}
        placeholder={stated ? String(stated) : "not stated"}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          setMore(param, value > 0 ? String(value) : "");
        }} />
    </label>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// A peak that the reader states, kept in the address.
import { useState } from "preact/hooks";
import { route, setMore } from "../state/route.ts";

export function PeakField({ param, text, hint, stated }: {
  /** Its name in the address. */
  param: string;
  text: string;
  hint: string;
  /** As the server or the trace has it. */
  stated?: number | null;
}) {
  // While somebody types, an answer may come and draw all this anew.
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <label class="field" title={hint}>
      <span class="quiet">{text}</span>
      <input type="number" min="0" step="any" inputMode="decimal"
        value={typed ?? route.value.more[param] ?? ""} aria-label={text}
        placeholder={stated ? String(stated) : "not stated"}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => setTyped(null)}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          setTyped(null);
          setMore(param, value > 0 ? String(value) : "");
        }} />
    </label>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// All that was held at an instant, or what is different between two.
import { useMemo } from "preact/hooks";
import { fromFlat } from "../../model/declared.ts";
import { formatBytes, formatTime } from "../../model/format.ts";
import { useAnswer } from "../../state/load.ts";
import { showOnTimeline, type Cells } from "../../state/locate.ts";
import { setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Table } from "../../table/Table.tsx";
import { Loaded } from "../parts.tsx";

export interface Instants {
  event: string;
  other: string;
  at: string;
}

export function useHeld(place: number | null, { event, other, at }: Instants) {
  const t = trace.value?.t;
  return useAnswer("memory_held", t && place !== null ? { t, place,
    event: event || undefined, at: event ? undefined : at || undefined,
    other_event: other || undefined } : null);
}

/** `of`: the place and its process, by what the server knows them. */
export function HeldTable({ place, of, instants }: {
  place: number; of: Cells; instants: Instants;
}) {
  const load = useHeld(place, instants);
  const flat = load.state === "ready" ? load.value : null;
  const data = useMemo(() => flat && fromFlat(flat), [flat]);
  const facts = flat?.facts ?? {};
  return (
    <Loaded what="What was held" load={load}>
      {() => data && (
        <>
          <p class="note quiet">A: {formatBytes(facts["held_bytes"] ?? 0)}{" "}
            at {formatTime(facts["at"] ?? 0)}.{" "}
            {facts["other_bytes"] === undefined
              ? "Shift-click the areas to compare with another instant."
              : <>B: {formatBytes(facts["other_bytes"])} at{" "}
                {formatTime(facts["other_at"] ?? 0)}.{" "}
                <button class="link" onClick={() => setMore("other", "")}>
                  Do not compare</button></>}</p>
          <Table label="Held at an instant" data={data} prefix="held."
            onShow={(shown, row) => void showOnTimeline("memory",
              String(shown.cell(row, 0)), of)}
            usual={["owner", "bytes", "other_bytes", "change_bytes",
              "allocations", "category", "line"]}
            usualSort={instants.other ? "change_bytes" : "bytes"}
            empty="Nothing was held then." />
        </>
      )}
    </Loaded>
  );
}

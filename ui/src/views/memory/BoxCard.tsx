// SPDX-License-Identifier: Apache-2.0
//
// One allocation: how large, how long, by whom, and its stack.
import type { MemoryBox } from "../../generated/answers.ts";
import { formatBytes, formatTime } from "../../model/format.ts";
import { rangeAround } from "../../state/locate.ts";
import { useAnswer } from "../../state/load.ts";
import { navigate, setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Card, Loaded } from "../parts.tsx";

function showEvent({ begin, allocated_by: owner }: MemoryBox): void {
  navigate({ view: "trace", row: owner.row, more: {},
    ...rangeAround(begin, 0, trace.value!.info.span_ns) }, true);
}

function Facts({ box }: { box: MemoryBox }) {
  const { allocated_by: owner } = box;
  const facts: [string, string][] = [
    ["Allocated by", owner.name],
    ["Line", owner.line],
    ["Modules", owner.module],
    ["For, concluded", box.category],
    ["Size", formatBytes(box.bytes) + (box.padding_bytes > 0
      ? `, of which ${formatBytes(box.padding_bytes)} were not asked for`
      : "")],
    ["Allocated", box.found ? "before the recording"
      : `at ${formatTime(box.begin)}`],
    ["Freed", box.end === null ? "never, in this recording"
      : `at ${formatTime(box.end)} by ${box.freed_by}`],
    ["Address", box.address],
  ];
  return (
    <dl class="memory-facts">
      {facts.filter(([, value]) => value).map(([name, value]) => (
        <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

export function BoxCard({ place, id }: { place: number; id: string }) {
  const t = trace.value!.t;
  const load = useAnswer("memory_box", { t, place, id });
  const box = load.state === "ready" ? load.value : null;
  return (
    <Card title="Allocation" actions={<>
      {box?.allocated_by.row != null && <button class="link"
        onClick={() => showEvent(box)}>Show on timeline</button>}
      {box && <button class="link" onClick={() => {
        setMore("event", String(box.event));
        setMore("tab", "held");
      }}>Held then</button>}
      <button class="link" onClick={() => setMore("box", "")}>Close</button>
    </>}>
      <Loaded what="The allocation" load={load}>
        {(shown) => (
          <div class="memory-box">
            <Facts box={shown} />
            {shown.allocated_by.frames.length > 0 ? (
              <ol class="memory-stack" tabIndex={0}
                aria-label="Stack, innermost first">
                {shown.allocated_by.frames.map((frame, i) => (
                  <li key={i}>{frame}</li>
                ))}
              </ol>
            ) : <p class="nothing">No stack was recorded.</p>}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

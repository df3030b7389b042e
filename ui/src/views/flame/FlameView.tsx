// SPDX-License-Identifier: Apache-2.0
//
// Where the time goes, by who called it: all threads and all steps in one.
import "../../styles/details.css";
import type { FlameBox } from "../../generated/answers.ts";
import { FlameGraph } from "../../charts/FlameGraph.tsx";
import { formatTime } from "../../model/format.ts";
import { chosenSteps } from "../../state/documents.ts";
import { useAnswer } from "../../state/load.ts";
import { showRange } from "../../state/locate.ts";
import { route, setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Card, Loaded, Page, Segments, StepsChoice } from "../parts.tsx";

const show = ({ start, dur }: FlameBox) =>
  showRange(start, start + Math.max(dur, 1));

export default function FlameView() {
  const { by = "", dir = "", of = "", find = "" } = route.value.more;
  const t = trace.value?.t;
  const load = useAnswer("flame", t ? { t, by: by || "host",
    inverted: dir || undefined, modules: of || undefined,
    steps: chosenSteps() || undefined } : null);
  return (
    <Page title="Flame graph" actions={<StepsChoice />}
      detail={(load.state === "ready"
        ? `${formatTime(load.value.total)} in all. ` : "") +
        (of ? "Python functions other than nn.Module are left out; the GPU " +
          "work of a gradient is below its module."
          : "Calls with the same callers are one box, over all threads " +
            "and steps; its width is its time.")}>
      <Card class="table-card flame-card">
        <div class="tabs">
          <Segments label="Time" value={by} options={[
            { value: "", text: "Host time" },
            { value: "device", text: "GPU time" },
          ]} onPick={(value) => setMore("by", value)} />
          <Segments label="Calls" value={of} options={[
            { value: "", text: "All calls" },
            { value: "modules", text: "By module" },
          ]} onPick={(value) => setMore("of", value)} />
          <Segments label="Order" value={dir} options={[
            { value: "", text: "By caller" },
            { value: "1", text: "Inverted" },
          ]} onPick={(value) => setMore("dir", value)} />
          <input class="field" value={find} aria-label="Find in the graph"
            placeholder="Find in the graph" onInput={(event) =>
              setMore("find", event.currentTarget.value)} />
        </div>
        <Loaded what="The flame graph" load={load}>
          {(info) => of && !info.modules
            ? <p class="nothing">No call of an nn.Module is in this trace.
              The profiler of torch records them with with_stack=True.</p>
            : info.boxes.length === 0
            ? <p class="nothing">{by === "device"
              ? "This trace has no device work."
              : "This trace has no host events."}</p>
            : <FlameGraph info={info} query={find} onShow={show} />}
        </Loaded>
      </Card>
    </Page>
  );
}

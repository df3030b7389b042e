// SPDX-License-Identifier: Apache-2.0
//
// Where the time goes, by who called it: all threads and all steps in one.
// Below it, the same time by name.
import "../../styles/details.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { FlameBox, FlameInfo } from "../../generated/answers.ts";
import { FlameGraph } from "../../charts/FlameGraph.tsx";
import { dataOfFunctions, functionsOf } from "../../model/flame.ts";
import { formatTime } from "../../model/format.ts";
import { shortName } from "../../model/names.ts";
import { chosenSteps } from "../../state/documents.ts";
import { useAnswer } from "../../state/load.ts";
import { showRange } from "../../state/locate.ts";
import { route, setMore } from "../../state/route.ts";
import { trace } from "../../state/trace.ts";
import { Name } from "../../shell/Name.tsx";
import { Table } from "../../table/Table.tsx";
import { Card, Loaded, Page, Segments, StepsChoice } from "../parts.tsx";

const show = ({ start, dur }: FlameBox) =>
  showRange(start, start + Math.max(dur, 1));

/** Of the window's height, what a graph of few levels fills. */
const SHARE = 0.42;

function useRoom(): number {
  const height = useSignal(innerHeight);
  useEffect(() => {
    const follow = () => {
      height.value = innerHeight;
    };
    addEventListener("resize", follow);
    return () => removeEventListener("resize", follow);
  }, []);
  return height.value * SHARE;
}

/** Every function once. A row finds its boxes in the graph above. */
function OwnTimes({ info }: { info: FlameInfo }) {
  const functions = useMemo(() => functionsOf(info), [info]);
  const data = useMemo(() => dataOfFunctions(functions, info.total),
    [functions]);
  return (
    <Card class="table-card own-times" title="Own time by name"
      detail="without what is called; click a row to find it in the graph">
      <Table label="Own time by name" data={data} prefix="own." usual={[]}
        usualSort="own" look={(cell, { key }) => key === "name"
          ? <Name text={String(cell)} short={shortName(String(cell))} />
          : undefined}
        onRow={(_, row) => setMore("find", functions[row]!.name)}
        onShow={(_, row) => show(functions[row]!)} />
    </Card>
  );
}

export default function FlameView() {
  const { by = "", dir = "", of = "", find = "" } = route.value.more;
  const t = trace.value?.t;
  const asked = t ? { t, by: by || "host", modules: of || undefined,
    steps: chosenSteps() || undefined } : null;
  const inverted = useAnswer("flame", asked && { ...asked, inverted: "1" });
  const load = useAnswer("flame",
    asked && { ...asked, inverted: dir || undefined });
  const room = useRoom();
  const isEmpty = load.state !== "ready" || load.value.boxes.length === 0 ||
    of !== "" && !load.value.modules;
  return (
    <Page title="Flame graph" fill actions={<StepsChoice />}
      detail={(load.state === "ready"
        ? `${formatTime(load.value.total)} in all. ` : "") +
        (of ? "Python functions other than nn.Module are left out; the GPU " +
          "work of a gradient is below its module."
          : "Calls with the same callers are one box, over all threads " +
            "and steps; its width is its time.")}>
      <Card class="flame-card">
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
            : <FlameGraph info={info} query={find} room={room}
              onShow={show} />}
        </Loaded>
      </Card>
      {!isEmpty && inverted.state === "ready" &&
        <OwnTimes info={inverted.value} />}
    </Page>
  );
}

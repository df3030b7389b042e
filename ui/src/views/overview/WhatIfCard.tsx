// SPDX-License-Identifier: Apache-2.0
//
// Pick changes, see what a step would then take: the steps are replayed by
// the server with them.
import { useState } from "preact/hooks";
import type { AdviseDoc, WhatIfDoc } from "../../generated/answers.ts";
import { Bar } from "../../charts/charts.tsx";
import { readChanges, withChange, writeChanges }
  from "../../model/changes.ts";
import { formatShare, formatTime } from "../../model/format.ts";
import { changesOffered, changeTitle } from "../../model/overview.ts";
import { partOf } from "../../model/shares.ts";
import { useAnswer } from "../../state/load.ts";
import { route, setMore } from "../../state/route.ts";
import { Card } from "../parts.tsx";

function Result({ doc }: { doc: WhatIfDoc }) {
  const whole = doc.unprofiled_step_ns ?? doc.recorded_step_ns;
  return (
    <table class="plain whatif">
      <thead><tr>
        <th scope="col">Change</th><th><span class="hidden">Bar</span></th>
        <th scope="col" class="num">Step</th>
        <th scope="col" class="num">Saves</th>
      </tr></thead>
      <tbody>
        <tr><th scope="row">As recorded</th>
          <td><Bar share={1} colour="unexplained" /></td>
          <td class="num">{formatTime(whole)}</td><td /></tr>
        {doc.changes.map((one) => (
          <tr key={one.change} data-change={one.change} title={
            `saves ${formatTime(one.low_ns)} to ${formatTime(one.high_ns)}`}>
            <th scope="row">{changeTitle(one.change)}</th>
            <td><Bar share={partOf(one.step_ns, whole)} colour="kernel" /></td>
            <td class="num">{formatTime(one.step_ns)}</td>
            <td class="num quiet">{formatShare(one.saving_ratio)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function OwnChange({ add }: { add: (change: string) => void }) {
  const [text, setText] = useState("");
  return (
    <form class="row own-change" onSubmit={(event) => {
      event.preventDefault();
      if (text.trim()) add(text.trim());
      setText("");
    }}>
      <input class="field" value={text} aria-label="Own change"
        placeholder="kernel:*gemm*=0.5 or op:aten::add=0"
        onInput={(event) => setText(event.currentTarget.value)} />
      <button class="button">Add</button>
    </form>
  );
}

export function WhatIfCard({ advise, hasDevice, t }: {
  advise: AdviseDoc | null; hasDevice: boolean; t: string;
}) {
  const offered = changesOffered(hasDevice);
  const picked = readChanges(route.value.more["change"] ?? "");
  const answer = useAnswer("whatif",
    t && picked.length > 0 ? { t, change: picked } : null);
  const set = (changes: string[]) => setMore("change", writeChanges(changes));
  const flip = (change: string) => set(picked.includes(change)
    ? picked.filter((one) => one !== change) : [...picked, change]);
  const advised = new Set(advise?.advice.map((one) => one.change));
  const own = picked.filter((one) =>
    !offered.some(({ change }) => change === one));
  return (
    <Card title="What if" detail="pick changes; the steps are replayed">
      <div class="changes">
        {offered.map(({ change, title }) => (
          <label key={change} class="change">
            <input type="checkbox" checked={picked.includes(change)}
              onChange={() => flip(change)} />
            <span>{title}</span>
            {advised.has(change) && <span class="chip">advised</span>}
          </label>
        ))}
        {own.map((change) => (
          <label key={change} class="change">
            <input type="checkbox" checked onChange={() => flip(change)} />
            <span class="mono">{change}</span>
          </label>
        ))}
        <OwnChange add={(change) => set(withChange(picked, change))} />
      </div>
      {picked.length > 0 && (
        <div role="status" class="whatif-result">
          {answer.state === "loading" && <p class="nothing">Replaying…</p>}
          {answer.state === "failed" &&
            <p class="nothing bad" role="alert">{answer.error}</p>}
          {answer.state === "ready" && <Result doc={answer.value} />}
        </div>
      )}
    </Card>
  );
}

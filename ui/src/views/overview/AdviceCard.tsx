// SPDX-License-Identifier: Apache-2.0
//
// What to fix first: findings with what a replay says they would save.
import type { AdviseDoc, Advice } from "../../api/documents.ts";
import { formatShare, formatTime } from "../../model/format.ts";
import { withShortName } from "../../model/overview.ts";
import { prose } from "../../model/prose.ts";
import { showOnTimeline } from "../../state/locate.ts";
import { Card } from "../parts.tsx";

function Finding({ advice, number }: { advice: Advice; number: number }) {
  const example = advice.evidence.find((one) => one.example)?.example;
  return (
    <li class="finding">
      <span class={"number" + (number === 1 ? " first" : "")}>{number}</span>
      <div>
        <h3>{prose(advice.finding.replace(/\.$/, ""))}</h3>
        {advice.evidence.slice(0, 2).map((one, i) => (
          <p key={i} class="quiet" title={prose(one.what, one.name)}>
            {withShortName(one)}</p>
        ))}
        <details>
          <summary>What to try</summary>
          <ul>{advice.try.map((text) => <li key={text}>{prose(text)}</li>)}</ul>
          <p class="faint">{prose(advice.saving_basis)}</p>
        </details>
      </div>
      <div class="saving">
        {advice.saving_ns !== null && <b>−{formatTime(advice.saving_ns)}</b>}
        {advice.saving_ratio !== null && <span class="quiet">
          {advice.change ? "" : "up to "}{formatShare(advice.saving_ratio)}
        </span>}
        {advice.change && advice.low_ns !== null && advice.high_ns !== null &&
          <span class="faint" title="range of the replay">
            {formatTime(advice.low_ns)} – {formatTime(advice.high_ns)}</span>}
        {example && <button class="link" onClick={() =>
          void showOnTimeline("advice", example.name,
            { start_ns: example.start_ns })}>
          Show on timeline →</button>}
      </div>
    </li>
  );
}

export function AdviceCard({ advise }: { advise: AdviseDoc | null }) {
  return (
    <Card title="What to fix first" class="advice"
      detail={advise && advise.advice.length > 1
        ? "savings overlap: they do not add up" : undefined}>
      {!advise ? <p class="nothing">Reading the advice…</p>
        : advise.advice.length === 0
          ? <p class="nothing">Nothing stands out that slows the steps down.</p>
          : <ol>{advise.advice.map((one, i) => (
            <Finding key={one.id} advice={one} number={i + 1} />
          ))}</ol>}
      {advise && [...advise.doubts, ...advise.notes].map((text) => (
        <p key={text} class="note faint">{prose(text)}</p>
      ))}
    </Card>
  );
}

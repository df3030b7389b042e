// SPDX-License-Identifier: Apache-2.0
//
// What to fix first: findings with what a replay says they would save.
import type { AdviseDoc, Advice } from "../../generated/answers.ts";
import { placeOfAdvice, type AdvicePlace } from "../../model/advice_place.ts";
import { formatRange, formatShare, formatTime } from "../../model/format.ts";
import { prose } from "../../model/prose.ts";
import { Prose } from "../../shell/Prose.tsx";
import { showOnTimeline, showRange } from "../../state/locate.ts";
import { trace } from "../../state/trace.ts";
import { Card } from "../parts.tsx";

/** What importers call a failed allocation: plain words in a sentence. */
const OUT_OF_MEMORY = "out of memory";

/** What the finding names, if it names anything of the trace. */
const nameIn = ({ finding, evidence }: Advice) =>
  evidence.find((one) => one.name && one.name !== OUT_OF_MEMORY &&
    finding.includes(one.name))?.name ?? "";

/** As much of the evidence is seen at once; the rest opens. */
const SHOWN = 3;

function show(place: AdvicePlace): void {
  if (place.at === "time") showRange(place.from, place.to);
  else void showOnTimeline("advice", place.name, { start_ns: place.start_ns });
}

function Finding({ advice, number }: { advice: Advice; number: number }) {
  const info = trace.value?.info;
  const place = info ? placeOfAdvice(advice, info) : null;
  return (
    <li class="finding">
      <span class={"number" + (number === 1 ? " first" : "")}>{number}</span>
      <h3><Prose text={advice.finding.replace(/\.$/, "")}
        name={nameIn(advice)} /></h3>
      <div class="saving">
        {advice.saving_ns ? <b>−{formatTime(advice.saving_ns)}</b> : null}
        {advice.saving_ratio ? <span class="quiet">
          {advice.change ? "" : "up to "}{formatShare(advice.saving_ratio)}
        </span> : null}
        {advice.change && advice.low_ns !== null && advice.high_ns !== null &&
          <span class="faint" title="range of the replay">
            {formatRange(advice.low_ns, advice.high_ns)}</span>}
      </div>
      <div class="evidence">
        {advice.evidence.slice(0, SHOWN).map((one, i) => (
          <p key={i} class="quiet" title={prose(one.what, one.name)}>
            <Prose text={one.what} name={one.name} /></p>
        ))}
        {advice.evidence.length > SHOWN && <details>
          <summary>More evidence</summary>
          <ul>{advice.evidence.slice(SHOWN).map((one, i) => (
            <li key={i}><Prose text={one.what} name={one.name} /></li>
          ))}</ul>
        </details>}
        <details>
          <summary>What to try</summary>
          <ul>{advice.try.map((text) => (
            <li key={text}><Prose text={text} /></li>
          ))}</ul>
          <p class="faint"><Prose text={advice.saving_basis} /></p>
        </details>
        {place && <button class="link" onClick={() => show(place)}>
          Show on timeline →</button>}
      </div>
    </li>
  );
}

export function AdviceCard(
  { advise, nothing }: { advise: AdviseDoc | null; nothing: string }) {
  return (
    <Card title="What to fix first" class="advice"
      detail={advise && advise.advice.length > 1
        ? "savings overlap: they do not add up" : undefined}>
      {!advise ? <p class="nothing">Reading the advice…</p>
        : advise.advice.length === 0
          ? <p class="nothing"><Prose text={nothing} /></p>
          : <ol>{advise.advice.map((one, i) => (
            <Finding key={one.id} advice={one} number={i + 1} />
          ))}</ol>}
      {advise && [...advise.doubts, ...advise.notes].map((text) => (
        <p key={text} class="note faint"><Prose text={text} /></p>
      ))}
    </Card>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// The iteration of a server that an event is of, with its requests: each leads
// to its row in the view Serving.
import type { IterationRef } from "../../generated/answers.ts";
import { formatCount } from "../../model/format.ts";
import { kindTitle, requestName } from "../../model/serving.ts";
import { showServing } from "../../state/serving.ts";

export function IterationFact({ of }: { of: IterationRef }) {
  const { index, kind, member_count: count, members } = of;
  return (
    <>
      <div class="wide">
        <dt>Iteration</dt>
        <dd><button class="link" onClick={() =>
          showServing({ iteration: index })}>
          {formatCount(index)} ({kindTitle(kind).toLowerCase()})</button></dd>
      </div>
      {count > 0 && <div class="wide">
        <dt>{count === 1 ? "Request" : "Requests"}</dt>
        <dd class="request-links">
          {members.map((one, n) => (
            <button key={n} class="link mono" onClick={() =>
              showServing({ request: one.index })}>
              {requestName(one.id, one.index)}</button>
          ))}
          {members.length < count && <span class="quiet">the first{" "}
            {formatCount(members.length)} of {formatCount(count)}</span>}
        </dd>
      </div>}
    </>
  );
}

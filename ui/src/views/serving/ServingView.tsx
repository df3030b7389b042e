// SPDX-License-Identifier: Apache-2.0
//
// An inference server: iterations by kind, what is in the batch over time, and
// what each request waited for.
import "../../styles/serving.css";
import type { ServingInfo } from "../../generated/answers.ts";
import { countOf } from "../../model/format.ts";
import { Message } from "../../shell/Messages.tsx";
import { useAnswer } from "../../state/load.ts";
import { serves } from "../../state/serving.ts";
import { trace } from "../../state/trace.ts";
import { Loaded, Page } from "../parts.tsx";
import { KindsCard } from "./KindsCard.tsx";
import { LatencyCard } from "./LatencyCard.tsx";
import { TimeCard } from "./TimeCard.tsx";

function Content({ info }: { info: ServingInfo }) {
  return (
    <Page title="Serving" detail={[info.engine,
      info.concluded ? countOf(info.iterations, "iteration") +
        ", concluded, since none were marked"
        : countOf(info.iterations, "iteration"),
      info.requests > 0 ? countOf(info.requests, "request")
        : "requests were not recorded"]
      .filter(Boolean).join(" · ")}>
      {info.iterations > 0 && <KindsCard info={info} />}
      <TimeCard info={info} />
      <LatencyCard info={info} />
    </Page>
  );
}

export default function ServingView() {
  const open = trace.value;
  const load = useAnswer("serving",
    open && serves.value ? { t: open.t } : null);
  if (serves.value === null)
    return <Message title="No iterations in this trace" text={"A server " +
      "marks them by `stepscope.iteration()`, or by the hook of its engine, " +
      "`stepscope.hook(\"vllm\")`."} />;
  return (
    <Loaded whole what="The iterations" load={load}>
      {(info) => <Content info={info} />}
    </Loaded>
  );
}

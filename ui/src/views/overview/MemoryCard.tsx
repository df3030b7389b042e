// SPDX-License-Identifier: Apache-2.0
import type { SummaryDoc } from "../../generated/answers.ts";
import { Curve } from "../../charts/Curve.tsx";
import { placeName } from "../../model/memory.ts";
import { peakPlace } from "../../model/overview.ts";
import { navigate } from "../../state/route.ts";
import { memoryTracks, useMemoryCurve } from "../memory/curve.ts";
import { Card } from "../parts.tsx";

export function MemoryCard({ doc }: { doc: SummaryDoc }) {
  const place = peakPlace(doc.memory);
  const curve = useMemoryCurve(memoryTracks(place ?? { place: "" }), 300);
  if (!place) return null;
  return (
    <Card title="Memory" detail={`allocated on ${placeName(place.place)}`}
    actions={
      <button class="link" onClick={() =>
        navigate({ view: "memory",
          more: { tab: "live", place: place.place,
            process: place.process ?? "" } }, true)}>
        Live at the peak
      </button>
    }>
      {curve && <Curve label={`Memory allocated on ${place.place}`}
        times={curve.times} series={curve.series.slice(0, 1)} height={150} />}
    </Card>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// A curve over time by uPlot. A drag selects a range.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatBytes, formatTick } from "../model/format.ts";
import { theme } from "../state/theme.ts";

export interface Series {
  name: string;
  values: (number | null)[];
  colour: string;
  fill?: boolean;
}

// Times in steps that read well.
const ONE_TWO_FIVE = Array.from({ length: 15 }, (_, i) =>
  [1, 2, 5].map((n) => n * 10 ** i)).flat();
// Sizes in KiB, MiB and GiB have round numbers at these.
const POWERS_OF_TWO = Array.from({ length: 50 }, (_, i) => 2 ** i);

function coloured(name: string): string {
  return getComputedStyle(document.documentElement)
    .getPropertyValue(name).trim();
}

export function Curve({ label, times, series, height, onSelect }: {
  label: string;
  times: number[];
  series: Series[];
  height: number;
  onSelect?: (from: number, to: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current!;
    const axis = {
      stroke: coloured("--text-3"), font: "11px Inter",
      grid: { stroke: coloured("--line"), width: 1 },
      ticks: { show: false },
    };
    const chart = new uPlot({
      width: Math.max(120, element.clientWidth), height,
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false,
        setScale: false } },
      scales: {
        x: { time: false },
        // An area says how much there is: it begins at nothing.
        y: { range: (_, _least, most) => [0, Math.max(1, most) * 1.06] },
      },
      axes: [
        { ...axis, size: 28, incrs: ONE_TWO_FIVE,
          values: (_, ticks) => ticks.map((tick) => formatTick(
            tick, (ticks[1] ?? tick) - (ticks[0] ?? 0) || 1)) },
        { ...axis, size: 68, incrs: POWERS_OF_TWO, values: (_, ticks) =>
          ticks.map((tick) => formatBytes(tick)) },
      ],
      series: [{}, ...series.map((one) => ({
        label: one.name, width: 1.5, points: { show: false },
        stroke: coloured(one.colour),
        ...(one.fill ? { fill: coloured(one.colour) + "26" } : {}),
        paths: uPlot.paths.stepped!({ align: 1 }),
      }))],
      hooks: {
        setSelect: [(plot) => {
          if (plot.select.width < 4) return;
          onSelect?.(plot.posToVal(plot.select.left, "x"),
            plot.posToVal(plot.select.left + plot.select.width, "x"));
        }],
      },
    }, [times, ...series.map((one) => one.values)] as uPlot.AlignedData,
    element);
    const watch = new ResizeObserver(() => chart.setSize(
      { width: Math.max(120, element.clientWidth), height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [times, series, height, theme.value]);
  return <div class="curve" role="img" aria-label={label} ref={box} />;
}

// SPDX-License-Identifier: Apache-2.0
//
// A roofline as a picture: a circle per operator, its area by its time. What it
// shows stands in the table below it, too.
import { formatShare, formatTime, formatValue } from "../model/format.ts";
import { intensityOf, labelsOf, type Roofline, type RoofPoint }
  from "../model/roofline.ts";
import { shortName } from "../model/names.ts";

const LEFT = 54;
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 36;
/** Of the operator that takes most of the time, in pixels. */
const RADIUS = 15;
const LEAST = 3.5;
const radiusOf = ({ size }: RoofPoint) =>
  Math.max(LEAST, RADIUS * Math.sqrt(size));

function pointText({ name, row }: RoofPoint): string {
  return [name, `${formatValue(row.tflops_per_s, "TFLOP/s")}, ` +
    `${formatValue(intensityOf(row))} FLOP per byte (${row.measured_intensity
      ? "measured" : "estimated"})`,
  `${formatTime(row.time_ns)} of device work`,
  row.peak_ratio === null ? "" : `${formatShare(row.peak_ratio)} of the peak`,
  row.roof_ratio === null ? ""
    : `${formatShare(row.roof_ratio)} of what the roofline allows`,
  ].filter(Boolean).join("\n");
}

export function RooflineChart({ of, width, height }: {
  of: Roofline; width: number; height: number;
}) {
  const x = (share: number) => LEFT + share * (width - LEFT - RIGHT);
  const y = (share: number) => TOP + (1 - share) * (height - TOP - BOTTOM);
  const byTime = of.points.toSorted((a, b) => b.size - a.size);
  const bottom = height - BOTTOM;
  const measured = of.points.some(({ row }) => row.measured_intensity);
  return (
    <svg class="roofline" width={width} height={height} role="img"
      viewBox={`0 0 ${width} ${height}`} aria-label={
        `Roofline of ${of.points.length} operators; the table has its figures`}>
      {of.yTicks.map(({ at, value }) => (
        <g key={value}>
          <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(at)}
            y2={y(at)} />
          <text class="axis end" x={LEFT - 7} y={y(at) + 4}>
            {formatValue(value)}</text>
        </g>
      ))}
      {of.xTicks.map(({ at, value }) => (
        <g key={value}>
          <line class="grid" x1={x(at)} x2={x(at)} y1={TOP} y2={bottom} />
          <text class="axis middle" x={x(at)} y={bottom + 15}>
            {formatValue(value)}</text>
        </g>
      ))}
      <text class="axis end" x={width - RIGHT} y={height - 4}>
        FLOP per byte{measured ? "" : ", estimated"}</text>
      <text class="axis" x={4} y={height - 4}>TFLOP/s</text>
      {of.roof.length > 0 && <polyline class="roof" points={
        of.roof.map((one) => `${x(one.x)},${y(one.y)}`).join(" ")} />}
      {byTime.map((one) => (
        <circle key={one.name} cx={x(one.x)} cy={y(one.y)}
          r={radiusOf(one)}>
          <title>{pointText(one)}</title>
        </circle>
      ))}
      {labelsOf(byTime.map((one) => ({ name: shortName(one.name), x: x(one.x),
        y: y(one.y), radius: radiusOf(one) })), width - RIGHT).map((one) => (
        <text key={one.name} class="axis name" x={one.x} y={one.y}>
          {one.name}</text>
      ))}
    </svg>
  );
}

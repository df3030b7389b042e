// SPDX-License-Identifier: Apache-2.0
//
// Small charts drawn as SVG: a ring, bars of a row, stacked columns.
import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import type { Hue } from "../generated/looks.ts";
import { formatTick, formatTime } from "../model/format.ts";
import { cssVar } from "../model/palette.ts";
import { partOf, percent } from "../model/shares.ts";
import { niceTicks, type Column } from "../model/waterfall.ts";

export function Swatch({ hue }: { hue: Hue }) {
  return <span class="swatch" style={{ color: cssVar(hue) }} />;
}

export function Ring({ share, label }: { share: number; label: string }) {
  const r = 14;
  const length = 2 * Math.PI * r;
  const part = partOf(share, 1) * length;
  return (
    <svg class="ring" viewBox="0 0 36 36" role="img" aria-label={label}>
      <circle cx="18" cy="18" r={r} class="ring-back" />
      <circle cx="18" cy="18" r={r} class="ring-part"
        stroke-dasharray={`${part} ${length - part}`}
        transform="rotate(-90 18 18)" />
    </svg>
  );
}

export function Bar({ share, colour }: { share: number; colour: Hue }) {
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width: percent(partOf(share, 1)),
        background: cssVar(colour) }} />
    </span>
  );
}

const TOP = 22;
/** A line above the columns, with the names of processes. */
const NAMES = 15;
const BOTTOM = 20;
const LEFT = 46;

/** One stacked column per step; a click shows the step. */
export function Columns({ columns, most, width, height, label, onPick }: {
  columns: Column[];
  most: number;
  width: number;
  height: number;
  label: string;
  onPick?: (column: Column) => void;
}) {
  const top = columns.some((one) => one.process) ? TOP + NAMES : TOP;
  const inside = height - top - BOTTOM;
  const pitch = (width - LEFT - 4) / Math.max(1, columns.length);
  const w = Math.max(1, Math.min(44, pitch * 0.74));
  const y = (share: number) => top + inside * (1 - share);
  const every = Math.ceil(columns.length * 30 / (width - LEFT));
  const ticks = niceTicks(most);
  // One stop for Tab, however many steps there are: arrows move along them.
  const at = useSignal(0);
  const stop = Math.min(at.value, columns.length - 1);
  const onKey = (
    event: KeyboardEvent & { currentTarget: SVGSVGElement }) => {
    const next = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0,
      End: columns.length - 1 }[event.key];
    if (next === undefined || !columns[next]) return;
    at.value = next;
    event.currentTarget.querySelectorAll<SVGElement>(".column")[next]?.focus();
    event.preventDefault();
  };
  return (
    <svg class="columns" onKeyDown={onKey}
      viewBox={`0 0 ${width} ${height}`} role="group" aria-label={label}
      width={width} height={height}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width} y1={y(partOf(tick, most))}
            y2={y(partOf(tick, most))}
            class="grid" />
          <text x={LEFT - 7} y={y(partOf(tick, most)) + 4} class="axis end">
            {formatTick(tick, ticks[1] ?? 1)}
          </text>
        </g>
      ))}
      {columns.map((column, i) => {
        const x = LEFT + pitch * i + (pitch - w) / 2;
        const said = (column.index === null ? "The recorded window"
          : `Step ${column.label}`) +
          (column.process && ` of ${column.process}`) +
          `: ${formatTime(column.total)}` +
          (column.warmup ? ", warm-up" : "") +
          (column.outlier ? ", outlier" : "");
        const text = said + column.parts.filter((part) => part.value > 0)
          .map((part) => `\n${part.name}: ${formatTime(part.value)}`).join("");
        return (
          <g key={`${column.pid}.${column.index}`} class={"column" +
            (column.warmup ? " warmup" : "")} role="button"
            tabIndex={i === stop ? 0 : -1} aria-label={said}
            onClick={() => onPick?.(column)}
            onFocus={() => {
              at.value = i;
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              onPick?.(column);
            }}>
            <title>{text}</title>
            <rect x={LEFT + pitch * i} width={pitch} y={top} height={inside}
              class="hit" />
            {column.parts.map((part) => part.h > 0 && (
              <rect key={part.name} x={x} width={w} y={y(part.y + part.h)}
                height={Math.max(0.5, part.h * inside)}
                style={{ fill: cssVar(part.colour) }} />
            ))}
          </g>
        );
      })}
      {/* Beside the columns, which are buttons with names of their own. */}
      <g class="words" aria-hidden="true">
        {columns.map((column, i) => {
          const middle = LEFT + pitch * (i + 0.5);
          const left = LEFT + pitch * i;
          const isFirst = column.process &&
            column.process !== columns[i - 1]?.process;
          return (
            <Fragment key={`${column.pid}.${column.index}`}>
              {isFirst && <>
                <line x1={left} x2={left} y1={0} y2={height - BOTTOM}
                  class="grid" />
                <text x={left + 5} y={11} class="axis">{column.process}</text>
              </>}
              {pitch >= 44 && (
                <text x={middle} y={y(partOf(column.total, most)) - 6}
                  class={"axis middle" + (column.outlier ? " mark" : "")}>
                  {formatTime(column.total)}
                </text>
              )}
              {i % every === 0 &&
                <text x={middle} y={height - 5} class="axis middle">
                  {column.label}
                </text>}
            </Fragment>
          );
        })}
      </g>
    </svg>
  );
}

// SPDX-License-Identifier: Apache-2.0
//
// The icons, drawn on a 16 × 16 grid with a line of 1.5.
const PATHS = {
  folder: "M1.8 4h4.4l1.5 2h6.5v7H1.8z",
  overview: "M2 2h5v6H2zM9 2h5v3.5H9zM9 8h5v6H9zM2 10.5h5V14H2z",
  trace: "M2 4h6M5 8h8M2 12h4M8.5 12h5M11 4h3",
  flame: "M2 3.5h12M2 7.5h8M12 7.5h2M2 11.5h4M8 11.5h2",
  operators: "M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6",
  kernels:
    "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14" +
    "M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
  memory: "M1.5 11c2.5 0 2.5-6 5-6s2.5 7 5 3.5c1-1.4 1.6-4 3-4.5",
  distributed:
    "M8 5.2V8M8 8 4.3 11M8 8l3.7 3M8 2a1.6 1.6 0 1 1 0 3.2" +
    "a1.6 1.6 0 0 1 0-3.2zM3.3 10.8a1.6 1.6 0 1 1 0 3.2" +
    "a1.6 1.6 0 0 1 0-3.2zM12.7 10.8a1.6 1.6 0 1 1 0 3.2" +
    "a1.6 1.6 0 0 1 0-3.2z",
  serving: "M2 3.5h5M4 8h10M7 12.5h7M9.5 3.5h1.5M2 8h.1M2 12.5h2.5",
  steps: "M3 14V8M6.5 14V3M10 14V6M13.5 14v-4",
  compare: "M5 2v12M11 2v12M2 5h3M2 10h3M11 6h3M11 11h3",
  health: "M8 1.8 13.5 4v4c0 3.2-2.4 5.2-5.5 6.2" +
    "C4.9 13.2 2.5 11.2 2.5 8V4zM5.7 8l1.7 1.7 3-3.2",
  warning: "M8 2 14.5 13.5h-13zM8 6.5v3.5M8 12v.1",
  help: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8z" +
    "M6.2 6.2c0-2.4 3.7-2.3 3.7 0 0 1.5-1.9 1.5-1.9 3M8 11.3v.1",
  theme: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1.5v1M8 13.5v1M1.5 8h1" +
    "M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7" +
    "M11.9 4.1l.7-.7",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5 14 14",
  copy: "M6.5 9.5 9.5 6.5M7 4.5 8.7 2.8a3.1 3.1 0 0 1 4.5 4.5" +
    "L11.5 9M9 11.5l-1.7 1.7a3.1 3.1 0 0 1-4.5-4.5L4.5 7",
  down: "m4.5 6.5 3.5 3.5 3.5-3.5",
  up: "m4.5 9.5 3.5-3.5 3.5 3.5",
  select: "M4 2.5 12.5 8l-4 .9-2 3.8z",
  pan: "M8 2v12M2 8h12M6.3 3.7 8 2l1.7 1.7M6.3 12.3 8 14l1.7-1.7" +
    "M3.7 6.3 2 8l1.7 1.7M12.3 6.3 14 8l-1.7 1.7",
  zoom: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5 14 14" +
    "M5 7h4M7 5v4",
  measure: "M1.8 5.5h12.4v5H1.8zM4.5 5.5V8M7 5.5v1.7M9.5 5.5V8" +
    "M12 5.5v1.7",
  filter: "M2 3h12L9.5 8.5V13l-3-1.5v-3z",
  arrows: "M2 4h3.5c4 0 2 8 6 8H14M12 10l2 2-2 2",
  pin: "M6 2h4l-.5 5 2 2.5h-7l2-2.5zM8 9.5V14",
  path: "M2 13 6 6l4 4 4-7",
  close: "m4 4 8 8M12 4l-8 8",
  frame: "M2 5V2h3M11 2h3v3M14 11v3h-3M5 14H2v-3",
  flag: "M4 14V2.5h8l-2 3 2 3H4",
  normal: "M2 3h12v4H2zM2 10h12v4H2z",
  compact: "M2 3.5h12M2 6.5h12M2 9.5h12M2 12.5h12",
  dense: "M2 2.5h12M2 4.7h12M2 6.9h12M2 9.1h12M2 11.3h12M2 13.5h12",
  right: "m6.5 4.5 3.5 3.5-3.5 3.5",
  left: "m9.5 4.5-3.5 3.5 3.5 3.5",
  "move-down": "M8 3v10M4.5 9.5 8 13l3.5-3.5",
  "move-up": "M8 13V3M4.5 6.5 8 3l3.5 3.5",
  collapse: "m5 2.5 3 3 3-3M5 13.5l3-3 3 3M2.5 8h11",
  expand: "m5 5 3-3 3 3M5 11l3 3 3-3M2.5 8h11",
  note: "M3 2.5h10v8L10 13.5H3zM10 13.5v-3h3M5.5 5.5h5M5.5 8h3",
  sql: "M2.5 4c0-2 11-2 11 0v8c0 2-11 2-11 0zM2.5 4c0 2 11 2 11 0" +
    "M2.5 8c0 2 11 2 11 0",
};
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

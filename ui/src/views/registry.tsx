// SPDX-License-Identifier: Apache-2.0
//
// The views, in the order of the navigation. A view is one line here and one
// folder beside it; each is a chunk of its own, loaded when it is first shown.
import type { ComponentType } from "preact";
import type { IconName } from "../shell/icons.tsx";
import { serves } from "../state/serving.ts";

export interface View {
  key: string;
  title: string;
  icon: IconName;
  /** A rule is drawn above the first view of the second group. */
  group: 1 | 2;
  /** Whether it has something of the shown trace; without it: always. */
  offered?: () => boolean;
  load: () => Promise<{ default: ComponentType }>;
}

export const views: View[] = [
  { key: "traces", title: "Traces", icon: "folder", group: 1,
    load: () => import("./traces/TracesView.tsx") },
  { key: "overview", title: "Overview", icon: "overview", group: 1,
    load: () => import("./overview/OverviewView.tsx") },
  { key: "trace", title: "Trace", icon: "trace", group: 1,
    load: () => import("./trace/TraceView.tsx") },
  { key: "flame", title: "Flame graph", icon: "flame", group: 1,
    load: () => import("./flame/FlameView.tsx") },
  { key: "operators", title: "Operators", icon: "operators", group: 1,
    load: () => import("./operators/OperatorsView.tsx") },
  { key: "kernels", title: "GPU kernels", icon: "kernels", group: 1,
    load: () => import("./kernels/KernelsView.tsx") },
  { key: "memory", title: "Memory", icon: "memory", group: 1,
    load: () => import("./memory/MemoryView.tsx") },
  { key: "distributed", title: "Distributed", icon: "distributed", group: 1,
    load: () => import("./distributed/DistributedView.tsx") },
  { key: "serving", title: "Serving", icon: "serving", group: 2,
    offered: () => serves.value != null,
    load: () => import("./serving/ServingView.tsx") },
  { key: "steps", title: "Steps", icon: "steps", group: 2,
    load: () => import("./steps/StepsView.tsx") },
  { key: "tables", title: "Tables", icon: "normal", group: 2,
    load: () => import("./tables/TablesView.tsx") },
  { key: "sql", title: "SQL", icon: "sql", group: 2,
    load: () => import("./sql/SqlView.tsx") },
  { key: "compare", title: "Compare", icon: "compare", group: 2,
    load: () => import("./compare/CompareView.tsx") },
];

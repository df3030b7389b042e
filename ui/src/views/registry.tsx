// SPDX-License-Identifier: Apache-2.0
//
// The views, in the order of the navigation. A view is one line here and one
// folder beside it; each is a chunk of its own, loaded when it is first shown.
import type { ComponentType } from "preact";
import type { IconName } from "../shell/icons.tsx";

export interface View {
  key: string;
  title: string;
  icon: IconName;
  /** A rule is drawn above the first view of the second group. */
  group: 1 | 2;
  load: () => Promise<{ default: ComponentType }>;
}

export const views: View[] = [
  { key: "trace", title: "Trace", icon: "trace", group: 1,
    load: () => import("./trace/TraceView.tsx") },
];

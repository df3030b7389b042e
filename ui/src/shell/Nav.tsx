// SPDX-License-Identifier: Apache-2.0
//
// The navigation at the left: views, and at the bottom the health of the
// trace, the keys and the theme.
import { formatRoute } from "../model/route.ts";
import { healthOf } from "../model/health.ts";
import { navigate, route } from "../state/route.ts";
import { nextTheme, themeChoice } from "../state/theme.ts";
import { atStart, dataset, isPreview, trace } from "../state/trace.ts";
import { views, type View } from "../views/registry.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { showHelp } from "./Help.tsx";
import logo from "./logo.svg";

/** Why a view has nothing to show; "": it has. */
function whyOff(view: View): string {
  if (dataset.value && view.key !== "sql")
    return "A dataset is queried in SQL; open a trace for this view";
  return atStart.value && view.key !== "traces" ? "Choose a trace first" : "";
}

function Item({ view, current }: { view: View; current: boolean }) {
  const target = { ...route.value, view: view.key, more: {} };
  const why = whyOff(view);
  if (why)
    return (
      <li><span class="nav-item off" title={why}>
        <Icon name={view.icon} /><span>{view.title}</span></span></li>
    );
  return (
    <li>
      <a class="nav-item" href={formatRoute(target)} title={view.title}
        aria-label={view.title}
        aria-current={current ? "page" : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          navigate({ view: view.key, more: {} }, true);
        }}>
        <Icon name={view.icon} />
        <span>{view.title}</span>
      </a>
    </li>
  );
}

function Action(props: {
  icon: IconName;
  text: string;
  hint: string;
  bad?: boolean;
  keyName?: string;
  onClick?: () => void;
}) {
  return (
    <li>
      <button class={"nav-item" + (props.bad ? " bad" : "")}
        title={props.hint} aria-label={`${props.text}. ${props.hint}`}
        onClick={props.onClick}>
        <Icon name={props.icon} />
        <span>{props.text}</span>
        {props.keyName && <kbd>{props.keyName}</kbd>}
      </button>
    </li>
  );
}

const THEMES = {
  system: "Theme: system", light: "Theme: light", dark: "Theme: dark",
} as const;

export function Nav({ current }: { current: string }) {
  const health = trace.value && !isPreview.value &&
    healthOf(trace.value.info);
  const shown = views.filter(({ key, offered }) =>
    !offered || key === current || offered());
  const first = shown.filter((view) => view.group === 1);
  const second = shown.filter((view) => view.group === 2);
  return (
    <nav class="nav" aria-label="Views">
      <div class="brand"><img src={logo} alt="" /><span>stepscope</span></div>
      <div class="grow">
        <ul>{first.map((view) =>
          <Item key={view.key} view={view} current={view.key === current} />)}
        </ul>
        {second.length > 0 && <div class="rule" />}
        {second.length > 0 && <ul>{second.map((view) =>
          <Item key={view.key} view={view} current={view.key === current} />)}
        </ul>}
      </div>
      <ul>
        {health && <Action icon={health.good ? "health" : "warning"}
          text={health.title} hint={health.detail} bad={!health.good}
          onClick={() => showHelp("health")} />}
        <Action icon="help" text="Shortcuts" hint="Keys and mouse"
          keyName="?" onClick={() => showHelp("keys")} />
        <Action icon={themeChoice.value === "light" ? "sun" : "theme"}
          text={THEMES[themeChoice.value]} hint="Change the theme"
          onClick={nextTheme} />
      </ul>
    </nav>
  );
}

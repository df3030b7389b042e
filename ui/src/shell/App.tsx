// SPDX-License-Identifier: Apache-2.0
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { tokenRefused } from "../state/api.ts";
import { notLoadedText } from "../state/not_loaded.ts";
import { shownView, showsWithoutTrace } from "../state/trace.ts";
import { views, type View } from "../views/registry.tsx";
import { FileNews } from "./FileNews.tsx";
import { DropFile } from "./DropFile.tsx";
import { Help, helpShown, showHelp } from "./Help.tsx";
import { AskToken, Failed, Message, traceMessage } from "./Messages.tsx";
import { Nav } from "./Nav.tsx";
import { ServerGone } from "./ServerGone.tsx";
import { Toast } from "./Toast.tsx";
import { TopBar } from "./TopBar.tsx";
import { isTyping } from "./typing.ts";

function onKey(event: KeyboardEvent): void {
  if (isTyping(event.target) || event.ctrlKey || event.metaKey ||
    event.altKey || helpShown()) return;
  if (event.key === "?") showHelp("keys");
  else if (event.key === "/") document.getElementById("search")?.focus();
  else return;
  event.preventDefault();
}

const loaded = new Map<string, ComponentType>();

function ViewFrame({ view }: { view: View }) {
  const failure = useSignal("");
  const tick = useSignal(0);
  useEffect(() => {
    failure.value = "";
    if (loaded.has(view.key)) return;
    let shown = true;
    view.load().then(
      (module) => {
        loaded.set(view.key, module.default);
        tick.value++;
      },
      async (error) => {
        const text = await notLoadedText(error);
        if (shown) failure.value = text;
      });
    return () => {
      shown = false;
    };
  }, [view]);
  void tick.value;
  const Shown = loaded.get(view.key);
  if (failure.value)
    return <Failed what="This view could not be loaded"
      error={failure.value} />;
  return Shown ? <Shown /> : <Message title="Loading" />;
}

export function App() {
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const view = views.find((one) => one.key === shownView.value) ??
    views.find((one) => one.key === "overview")!;
  const message = tokenRefused.value ? <AskToken />
    : traceMessage(view.key === "trace", showsWithoutTrace.value);
  useEffect(() => {
    document.title = `${view.title} · stepscope`;
  }, [view]);
  return (
    <div class={"shell" + (view.key === "trace" ? " narrow" : "")}>
      <Nav current={view.key} />
      <TopBar />
      <div class="content">
        <ServerGone />
        <FileNews />
        <main tabIndex={-1}>{message ?? <ViewFrame view={view} />}</main>
      </div>
      <Help />
      <Toast />
      <DropFile />
    </div>
  );
}

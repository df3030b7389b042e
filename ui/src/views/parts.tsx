// SPDX-License-Identifier: Apache-2.0
//
// What all table views share: the page, its title, cards, segments, and the
// states of what was asked.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Load } from "../state/load.ts";
import { setMore } from "../state/route.ts";
import { chosenSteps } from "../state/documents.ts";
import { Failed, Message } from "../shell/Messages.tsx";

export function Page({ title, detail, actions, fill, children }: {
  title: string;
  detail?: ComponentChildren;
  actions?: ComponentChildren;
  /** The last card takes what room is left. */
  fill?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={"page" + (fill ? " fill" : "")}>
      <header class="page-head">
        <div>
          <h1>{title}</h1>
          {detail && <p class="quiet">{detail}</p>}
        </div>
        <div class="row">{actions}</div>
      </header>
      {children}
    </div>
  );
}

export function Card({ title, detail, actions, class: kind, children }: {
  title?: string;
  detail?: ComponentChildren;
  actions?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  return (
    <section class={"card " + (kind ?? "")} aria-label={title}>
      {title && (
        <header class="card-head">
          <h2>{title}</h2>
          {detail && <span class="quiet">{detail}</span>}
          {actions && <span class="card-actions">{actions}</span>}
        </header>
      )}
      {children}
    </section>
  );
}

export function Segments<T extends string>({ label, value, options, onPick }: {
  label: string;
  value: T;
  options: { value: T; text: string }[];
  onPick: (value: T) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((one) => (
        <button key={one.value} aria-pressed={one.value === value}
          onClick={() => onPick(one.value)}>{one.text}</button>
      ))}
    </div>
  );
}

/** Which steps the tables are of. */
export function StepsChoice() {
  return (
    <Segments label="Steps" value={chosenSteps()} options={[
      { value: "", text: "All steps" },
      { value: "settled", text: "Without warm-up" },
    ]} onPick={(value) => setMore("steps", value)} />
  );
}

/** Shows what was asked, or why it is not there. */
export function Loaded<T>({ what, load, whole, children }: {
  what: string;
  load: Load<T>;
  /** It is all that the view shows. */
  whole?: boolean;
  children: (value: T) => ComponentChildren;
}) {
  switch (load.state) {
    case "loading":
      return whole ? <Message title={`Reading ${what.toLowerCase()}`} />
        : <p class="nothing" role="status">Reading {what.toLowerCase()}…</p>;
    case "failed":
      return whole
        ? <Failed what={`${what} could not be read`} error={load.error} />
        : <p class="nothing bad" role="alert">{what} could not be read:{" "}
          {load.error}</p>;
    case "ready": return <>{children(load.value)}</>;
  }
}

/** Children that need to know how wide they may be. */
export function Sized({ height, children }: {
  height: number;
  children: (width: number) => ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useEffect(() => {
    const element = box.current!;
    const watch = new ResizeObserver(() => {
      width.value = Math.floor(element.clientWidth);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={box} class="sized" style={{ height: `${height}px` }}>
      {width.value > 0 && children(width.value)}
    </div>
  );
}


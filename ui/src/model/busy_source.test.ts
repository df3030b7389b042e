// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { TrackInfo } from "../generated/answers.ts";
import { busySource, busyTitle } from "./busy_source.ts";

const track = (id: number, group: number, kind: string) =>
  ({ id, group, kind } as TrackInfo);
const preview = { read: 1, events: 1 };

test("a device comes first", () => {
  const source = busySource({ preview: null, tracks: [track(0, 0, "thread"),
    track(1, 1, "stream"), track(2, 1, "busy"), track(3, 2, "busy")] });
  expect(source).toEqual({ of: "device", track: 2 });
  expect(busyTitle(source)).toBe("GPU busy, whole window");
});

test("a device without a curve is shown by its streams", () => {
  const source = busySource({ preview, tracks: [track(0, 0, "thread"),
    track(1, 1, "stream"), track(2, 1, "stream"), track(3, 2, "stream")] });
  expect(source).toEqual({ of: "streams", tracks: [1, 2] });
  expect(busyTitle(source)).toBe("GPU busy, whole window");
});

test("without a device, the host is shown", () => {
  const tracks = [track(0, 0, "counter"), track(1, 0, "thread")];
  const source = busySource({ preview: null, tracks });
  expect(source).toEqual({ of: "host" });
  expect(busyTitle(source)).toBe("Host busy, whole window");
  // Of which a preview knows no curve.
  expect(busySource({ preview, tracks })).toEqual({ of: "nothing" });
});

test("without either, there is nothing to show", () => {
  const source = busySource({ preview: null, tracks: [] });
  expect(source).toEqual({ of: "nothing" });
  expect(busyTitle(source)).toBe("Whole window");
});

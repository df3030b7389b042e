// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from "vitest";
import { encodeAnswer } from "../../test/mock/encode.mjs";
import type { Client, Params } from "../api/client.ts";
import type { TraceInfo } from "../generated/answers.ts";
import { recordsOf } from "../model/sample_tile.ts";
import { tileLength } from "../model/tiles.ts";
import { TileStore } from "./tiles.ts";

const MAX = 14;
const info = { span_ns: tileLength(MAX), levels: { min: 0, max: MAX } } as
  TraceInfo;

/** A server that answers when it is told to, or at once. */
function slowServer(answerBytes: number) {
  const records = Array.from({ length: Math.max(1, answerBytes >> 4) },
    (_, n) => ({ x: n, w: 1, row: n }));
  const asked: { params: Params; answer: () => void;
    signal: AbortSignal; }[] = [];
  const client = {
    bytes: (_: string, params: Params, signal: AbortSignal) =>
      new Promise<ArrayBuffer>((done, fail) => {
        const [k, i0, i1] = ["k", "i0", "i1"].map((key) =>
          Number(params[key]));
        signal.addEventListener("abort", () => fail(new Error("aborted")));
        const answer = () => done(encodeAnswer(
          k!, i0!, [0], Array.from({ length: i1! - i0! + 1 },
            () => recordsOf(records))));
        asked.push({ params, signal, answer });
        if (answerBytes > 0) answer();
      }),
  } as unknown as Client;
  return { asked, client };
}
const brief = ({ params }: { params: Params }) =>
  `${params["k"]}:${params["i0"]}-${params["i1"]}/${params["tracks"]}`;
const soon = () => vi.waitFor(() => {}, 50);

/** With `answerBytes` the server answers at once, with so many bytes. */
function makeStore(stillMs = 0, cacheBytes?: number, answerBytes = 0) {
  const server = slowServer(answerBytes);
  const store = new TileStore(server.client, "t", info,
    { arrived: () => {}, failed: () => {} }, stillMs, cacheBytes);
  const answer = async (n: number) => {
    server.asked[n]!.answer();
    await soon();
  };
  return { ...server, store, answer };
}

test("the coarsest first, then what is seen, then the neighbours",
  async () => {
    const { store, asked, answer } = makeStore();
    store.want({ k: 10, i0: 4, i1: 5 }, [0, 1, 2]);
    await answer(0);
    await answer(1);
    await answer(2);
    await answer(3);
    expect(asked.map(brief)).toEqual(
      ["14:0-0/0-2", "10:4-5/0-2", "10:6-6/0-2", "10:3-3/0-2"]);
    expect(store.idle).toBe(true);
    expect(store.has(1, 10, 5)).toBe(true);
  });

test("one request at a time; the newest view is asked for next",
  async () => {
    const { store, asked, answer } = makeStore();
    store.want({ k: 14, i0: 0, i1: 0 }, [0]);
    for (let i = 1; i < 8; i++) store.want({ k: 11, i0: i, i1: i }, [0]);
    expect(asked.length).toBe(1);
    await answer(0);
    expect(asked.map(brief)).toEqual(["14:0-0/0", "11:7-7/0"]);
  });

test("a request that is of no more use is given up", async () => {
  const { store, asked, answer } = makeStore();
  store.want({ k: 10, i0: 0, i1: 0 }, [0]);
  await answer(0);
  expect(brief(asked[1]!)).toBe("10:0-0/0");
  store.want({ k: 10, i0: 9, i1: 9 }, [0]);
  expect(asked[1]!.signal.aborted).toBe(true);
  expect(brief(asked[2]!)).toBe("10:9-9/0");
  expect(store.aborted).toBe(1);
});

test("a move within the view does not give up what is fetched ahead",
  async () => {
    const { store, asked, answer } = makeStore();
    store.want({ k: 10, i0: 4, i1: 5 }, [0]);
    await answer(0);
    await answer(1);
    expect(brief(asked[2]!)).toBe("10:6-6/0");
    for (let n = 0; n < 5; n++) store.want({ k: 10, i0: 4, i1: 5 }, [0]);
    expect(asked.length).toBe(3);
    expect(store.aborted).toBe(0);
  });

test("nothing is fetched ahead of a view that moves", async () => {
  const { store, asked, answer } = makeStore(1e9);
  store.want({ k: 10, i0: 4, i1: 5 }, [0]);
  await answer(0);
  await answer(1);
  expect(asked.length).toBe(2);
  expect(store.idle).toBe(true);
});

test("a zoom fetches nothing ahead, a pan at its pace does", async () => {
  // Answers come at once; the clock moves as fast as frames do.
  let now = 1000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const frames = async (lengthOf: (n: number) => number) => {
    const { store, asked, answer } = makeStore(80);
    const view = (n: number) =>
      store.want({ k: 10, i0: 4, i1: 5 }, [0], lengthOf(n));
    view(0);
    await answer(0);
    for (let n = 1; n < 20; n++) {
      now += 16;
      view(n);
      if (n === 1) await answer(1);
    }
    return asked.map(brief);
  };
  expect(await frames((n) => 1e6 * 0.97 ** n))
    .toEqual(["14:0-0/0", "10:4-5/0"]);
  expect(await frames(() => 1e6))
    .toEqual(["14:0-0/0", "10:4-5/0", "10:6-6/0"]);
  vi.restoreAllMocks();
});

test("the cache stays within its bytes, whatever is looked at", async () => {
  const ANSWER = 4096;
  const { store } = makeStore(1e9, 10 * ANSWER, ANSWER);
  for (let i = 0; i < 100; i++) {
    store.want({ k: 3, i0: i, i1: i }, [0]);
    await vi.waitFor(() => expect(store.has(0, 3, i)).toBe(true),
      { interval: 1, timeout: 60_000 });
  }
  expect(store.heldBytes).toBeLessThanOrEqual(10 * ANSWER);
  expect(store.heldBytes).toBeGreaterThan(5 * ANSWER);
  // The newest are here, the coarsest is too: nothing can be blank.
  expect([store.has(0, 3, 99), store.has(0, 3, 0), store.has(0, MAX, 0)])
    .toEqual([true, false, true]);
});

test("scrolling to other tracks asks for those only", async () => {
  const { store, asked, answer } = makeStore();
  store.want({ k: 14, i0: 0, i1: 0 }, [0, 1]);
  await answer(0);
  store.want({ k: 14, i0: 0, i1: 0 }, [1, 2]);
  expect(brief(asked[1]!)).toBe("14:0-0/2");
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from "vitest";
import { encodeAnswer } from "../../test/mock/encode.mjs";
import type { Client, Params } from "../api/client.ts";
import type { TraceInfo } from "../api/types.ts";
import { recordsOf } from "../model/sample_tile.ts";
import { tileLength } from "../model/tiles.ts";
import { TileStore } from "./tiles.ts";

const MAX = 14;
const info = { span_ns: tileLength(MAX), levels: { min: 0, max: MAX } } as
  TraceInfo;

/** A server that answers when it is told to. */
function slowServer() {
  const asked: { params: Params; answer: () => void;
    signal: AbortSignal; }[] = [];
  const client = {
    bytes: (_: string, params: Params, signal: AbortSignal) =>
      new Promise<ArrayBuffer>((done, fail) => {
        const [k, i0, i1] = ["k", "i0", "i1"].map((key) =>
          Number(params[key]));
        signal.addEventListener("abort", () => fail(new Error("aborted")));
        asked.push({ params, signal, answer: () => done(encodeAnswer(
          k!, i0!, [0], Array.from({ length: i1! - i0! + 1 },
            () => recordsOf([{ x: 0, w: 1, row: 0 }])))) });
      }),
  } as unknown as Client;
  return { asked, client };
}
const brief = ({ params }: { params: Params }) =>
  `${params["k"]}:${params["i0"]}-${params["i1"]}/${params["tracks"]}`;
const soon = () => vi.waitFor(() => {}, 50);

function makeStore(stillMs = 0) {
  const server = slowServer();
  const store = new TileStore(server.client, "t", info,
    { arrived: () => {}, failed: () => {} }, stillMs);
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

test("scrolling to other tracks asks for those only", async () => {
  const { store, asked, answer } = makeStore();
  store.want({ k: 14, i0: 0, i1: 0 }, [0, 1]);
  await answer(0);
  store.want({ k: 14, i0: 0, i1: 0 }, [1, 2]);
  expect(brief(asked[1]!)).toBe("14:0-0/2");
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from "vitest";
import { credentialsFor, lineSplitter, makeClient, queryOf } from "./client.ts";
import { splitToken, tokenInText, tokenKey } from "./token.ts";

test("queries", () => {
  expect(queryOf()).toBe("");
  expect(queryOf({ a: 1, b: null, c: undefined, d: "x y&z" }))
    .toBe("?a=1&d=x+y%26z");
  expect(queryOf({ change: ["a", "b"] })).toBe("?change=a&change=b");
});

test("lines are whole, however the stream is cut", () => {
  const lines: string[] = [];
  const splitter = lineSplitter((line) => lines.push(line));
  for (const piece of ['{"a"', ':1}\n{"b":2}\n', "\n", '{"c":3}'])
    splitter.push(piece);
  expect(lines).toEqual(['{"a":1}', '{"b":2}']);
  splitter.end();
  expect(lines).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
});

const token = "0123456789abcdef".repeat(4);

test("the token leaves the fragment, the state stays", () => {
  expect(splitToken("#token=" + token)).toEqual({ token, rest: "" });
  expect(splitToken(`#token=${token}&/trace?run=a`))
    .toEqual({ token, rest: "#/trace?run=a" });
  expect(splitToken("#/trace?run=a"))
    .toEqual({ token: "", rest: "#/trace?run=a" });
  expect(splitToken("#token=<script>").token).toBe("");
});

test("viewers on one origin have tokens of their own", () => {
  expect(tokenKey("/")).toBe("stepscope.token");
  expect(tokenKey("/index.html")).toBe(tokenKey("/"));
  expect(tokenKey("/proxy/4001/")).toBe("stepscope.token:/proxy/4001/");
  expect(tokenKey("/proxy/4001/index.html")).toBe(tokenKey("/proxy/4001/"));
  expect(tokenKey("/proxy/4002/")).not.toBe(tokenKey("/proxy/4001/"));
});

test("a pasted address or token", () => {
  expect(tokenInText(` http://127.0.0.1:8080/#token=${token}\n`)).toBe(token);
  expect(tokenInText(token)).toBe(token);
  expect(tokenInText("http://127.0.0.1:8080/")).toBe("");
});

test("the token travels as a header; 401 is reported", async () => {
  const refused = vi.fn();
  const fetched = vi.fn(async () => new Response(
    '{"error":"the token is wrong"}', { status: 401 }));
  vi.stubGlobal("fetch", fetched);
  const client = makeClient(
    { base: "http://h/", token: () => token, onUnauthorized: refused });
  await expect(client.get("runs")).rejects.toThrow("the token is wrong");
  expect(refused).toHaveBeenCalledOnce();
  const [address, options] = fetched.mock.calls[0] as unknown as
    [string, { headers: Record<string, string> }];
  expect(address).toBe("http://h/api/v1/runs");
  expect(options.headers["Authorization"]).toBe("Bearer " + token);
  vi.unstubAllGlobals();
});

test("the login of a proxy under a path is left alone", () => {
  expect(credentialsFor("http://h/", token)).toEqual(
    { headers: { Authorization: "Bearer " + token }, credentials: "omit" });
  expect(credentialsFor("http://h/user/me/proxy/4001/", token)).toEqual(
    { headers: { "Stepscope-Token": token }, credentials: "same-origin" });
});

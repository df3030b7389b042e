// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from "vitest";
import { ApiError, SERVER_GONE } from "../api/client.ts";

const get = vi.hoisted(() => vi.fn());
vi.mock("./api.ts", () => ({ api: { get } }));
const { notLoadedText } = await import("./not_loaded.ts");
const error = new TypeError("Failed to fetch dynamically imported module");

test("a server that is gone is to be started again", async () => {
  get.mockRejectedValue(new ApiError(0, SERVER_GONE));
  const text = await notLoadedText(error);
  expect(text).toContain("The server does not answer");
  expect(text).toContain("stepscope view");
  expect(text).not.toContain("module");
});

test("where there is a server, another page may be there by now", async () => {
  get.mockResolvedValue({ runs: [] });
  expect(await notLoadedText(error)).toMatch(/module\. Reload the page\.$/);
  get.mockRejectedValue(new ApiError(500, "broken"));
  expect(await notLoadedText(error)).toContain("Reload the page");
});

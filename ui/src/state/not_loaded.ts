// SPDX-License-Identifier: Apache-2.0
//
// Why a part of the page could not be loaded, and what to do. The browser's
// own words are of addresses and modules: the server is asked.
import { ApiError } from "../api/client.ts";
import { api } from "./api.ts";
import { errorText } from "./load.ts";

export async function notLoadedText(error: unknown): Promise<string> {
  try {
    await api.get("runs");
  } catch (refused) {
    if (refused instanceof ApiError && refused.status === 0)
      return errorText(refused);
  }
  return errorText(error) + ". Reload the page.";
}

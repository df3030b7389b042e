// SPDX-License-Identifier: Apache-2.0
//
// The server has ended: what was read before can still be looked at.
import { SERVER_GONE } from "../api/client.ts";
import { serverGone } from "../state/api.ts";
import { opening } from "../state/trace.ts";
import { Prose } from "./Prose.tsx";

export function ServerGone() {
  return (
    <div role="status">
      {serverGone.value && opening.value.state === "ready" &&
        <p class="gone"><Prose text={SERVER_GONE +
          " What you see was read before it ended."} /></p>}
    </div>
  );
}

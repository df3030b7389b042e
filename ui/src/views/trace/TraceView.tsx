// SPDX-License-Identifier: Apache-2.0
export default function TraceView() {
  return <div class="trace" />;
}

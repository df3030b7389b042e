// SPDX-License-Identifier: Apache-2.0
//
// Texts of name ids: all at once when the server gives them so, else by id as
// they come into view.
import type { Client, Params } from "../api/client.ts";
import { shortName } from "../model/names.ts";
import { NO_NAME } from "../model/records.ts";

export interface Name {
  full: string;
  short: string;
}
const MOST_ASKED = 400;

export class NameStore {
  private readonly names = new Map<number, Name>();
  private readonly wanted = new Set<number>();
  private all = false;
  private busy = false;
  private readonly client: Client;
  private readonly params: Params;
  private readonly arrived: () => void;

  constructor(client: Client, t: string, arrived: () => void,
    preview = false) {
    this.client = client;
    this.params = preview ? { t, preview: 1 } : { t };
    this.arrived = arrived;
  }

  async start(): Promise<void> {
    this.busy = true;
    try {
      const answer = await this.client.get(
        "names", this.params);
      this.all = answer.all ?? false;
      if (this.all) answer.names.forEach((text, id) => this.put(id, text));
    } catch {
      // They are asked for by id.
    } finally {
      this.busy = false;
    }
    this.arrived();
    this.flush();
  }

  private put(id: number, full: string): void {
    this.names.set(id, { full, short: shortName(full) });
  }

  /** The name, or undefined while it is on its way. */
  get(id: number): Name | undefined {
    const name = this.names.get(id);
    if (!name && !this.all && id !== NO_NAME) this.wanted.add(id);
    return name;
  }

  /** Asks for the ids that `get` missed. */
  flush(): void {
    if (this.busy || this.all || this.wanted.size === 0) return;
    const ids = [...this.wanted].slice(0, MOST_ASKED);
    this.busy = true;
    void this.client.get(
      "names", { ...this.params, ids: ids.join(",") })
      .then((answer) => {
        ids.forEach((id, n) => this.put(id, answer.names[n] ?? ""));
        for (const id of ids) this.wanted.delete(id);
        this.arrived();
      }, () => this.wanted.clear())
      .finally(() => {
        this.busy = false;
        this.flush();
      });
  }
}

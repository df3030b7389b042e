// SPDX-License-Identifier: Apache-2.0
//
// A cache with a limit in bytes: the least recently used goes first; what is
// pinned stays. Pure.
interface Entry<V> {
  value: V;
  bytes: number;
  pinned: boolean;
}

export class Lru<V> {
  private readonly entries = new Map<string, Entry<V>>();
  private total = 0;
  private readonly limit: number;
  private readonly onEvict: (key: string, value: V) => void;

  constructor(limit: number, onEvict: (key: string, value: V) => void) {
    this.limit = limit;
    this.onEvict = onEvict;
  }

  get bytes(): number {
    return this.total;
  }
  get size(): number {
    return this.entries.size;
  }
  has(key: string): boolean {
    return this.entries.has(key);
  }
  get(key: string): V | undefined {
    return this.entries.get(key)?.value;
  }

  /** Marks as used now. */
  touch(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  put(key: string, value: V, bytes: number, pinned = false): void {
    this.remove(key);
    this.entries.set(key, { value, bytes, pinned });
    this.total += bytes;
    if (this.total <= this.limit) return;
    for (const [old, entry] of this.entries) {
      if (this.total <= this.limit) break;
      if (entry.pinned || old === key) continue;
      this.remove(old);
    }
  }

  private remove(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.total -= entry.bytes;
    this.onEvict(key, entry.value);
  }
}

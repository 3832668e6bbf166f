/** A set that tells when it has become empty. */
export class WaitableSet<T> {
  readonly #items = new Set<T>();
  readonly #waiters: (() => void)[] = [];

  add(item: T): void {
    this.#items.add(item);
  }

  delete(item: T): void {
    this.#items.delete(item);
    this.#tell();
  }

  clear(): void {
    this.#items.clear();
    this.#tell();
  }

  /** Resolves as soon as nothing is in it. */
  async whenEmpty(): Promise<void> {
    if (this.#items.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #tell(): void {
    if (this.#items.size > 0) return;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}

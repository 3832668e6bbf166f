/** A set of things under way that tells when it has become empty. */
export class Quiet<T> {
  readonly #items = new Set<T>();
  readonly #waiters = new Set<() => void>();

  add(item: T): void {
    this.#items.add(item);
  }

  delete(item: T): void {
    if (this.#items.delete(item)) for (const check of this.#waiters) check();
  }

  clear(): void {
    this.#items.clear();
    for (const check of this.#waiters) check();
  }

  /** Resolves as soon as nothing is under way, or nothing but `except`. */
  async reached(except?: T): Promise<void> {
    const isQuiet = () => this.#items.size === (except !== undefined && this.#items.has(except) ? 1 : 0);
    if (isQuiet()) return;
    await new Promise<void>((resolve) => {
      const check = () => {
        if (!isQuiet()) return;
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
    });
  }
}

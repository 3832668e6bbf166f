/** Keeps the newest `size` of all that was added. */
export class Ring<T> {
  readonly size: number;
  readonly #slots: T[] = [];
  #added = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** How many were added, those that are kept no more too. */
  get added(): number {
    return this.#added;
  }

  /** Returns what it is kept instead of. */
  add(item: T): T | undefined {
    const slot = this.#added++ % this.size;
    const lost = this.#slots[slot];
    this.#slots[slot] = item;
    return lost;
  }

  /** The newest so many, as far as they are kept, oldest first. */
  newest(count: number): T[] {
    const kept = Math.min(count, this.#slots.length);
    return Array.from({ length: kept }, (_, index) => this.#slots[(this.#added - kept + index) % this.size] as T);
  }
}

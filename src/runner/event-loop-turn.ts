/** The next turn of the event loop, one wait for all who ask for it: what they do then falls in one go. */
export class EventLoopTurn {
  #next: Promise<void> | undefined;

  /** Resolves once timers and sockets have had their turn. */
  passed(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#next = undefined;
        resolve();
      });
    });
    return this.#next;
  }
}

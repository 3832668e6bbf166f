import { element } from "./element.js";

interface RowShape<T> {
  rowHeight: number;
  /** An empty row, made once and filled again and again. */
  make(): HTMLElement;
  fill(row: HTMLElement, item: T, index: number): void;
}

const OVERSCAN = 4;

/** A list of which only the rows in sight are in the document, however long it is. */
export class WindowedList<T> {
  readonly #scroller: HTMLElement;
  readonly #shape: RowShape<T>;
  readonly #spacer = element("div", { class: "list-spacer", role: "presentation" });
  readonly #rows: HTMLElement[] = [];
  #items: readonly T[] = [];
  #height = 0;

  constructor(scroller: HTMLElement, shape: RowShape<T>) {
    this.#scroller = scroller;
    this.#shape = shape;
    scroller.append(this.#spacer);
    scroller.addEventListener("scroll", () => requestAnimationFrame(() => this.#draw()), { passive: true });
    // Asked for and not measured at each drawing: to measure makes the browser lay out anew.
    new ResizeObserver(([entry]) => {
      this.#height = entry?.contentRect.height ?? 0;
      this.#draw();
    }).observe(scroller);
  }

  show(items: readonly T[]): void {
    this.#items = items;
    const height = `${items.length * this.#shape.rowHeight}px`;
    if (this.#spacer.style.height !== height) this.#spacer.style.height = height;
    this.#draw();
  }

  /** Keeps what is in sight where it is, when so many rows came in above. */
  shift(rows: number): void {
    if (this.#scroller.scrollTop > 0) this.#scroller.scrollTop += rows * this.#shape.rowHeight;
  }

  /** Scrolls as little as is needed for a row to be in sight, and draws it. */
  reveal(index: number): void {
    const { rowHeight } = this.#shape;
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.#scroller;
    if (top < scrollTop) this.#scroller.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.#scroller.scrollTop = top + rowHeight - clientHeight;
    this.#draw();
  }

  #draw(): void {
    const { rowHeight, fill } = this.#shape;
    const first = Math.max(0, Math.floor(this.#scroller.scrollTop / rowHeight) - OVERSCAN);
    const room = Math.ceil(this.#height / rowHeight) + 2 * OVERSCAN;
    const last = this.#height === 0 ? first : Math.min(this.#items.length, first + room);
    while (this.#rows.length < last - first) this.#addRow();
    for (const [place, row] of this.#rows.entries()) {
      const index = first + place;
      const item = this.#items[index];
      row.hidden = index >= last || item === undefined;
      if (row.hidden || item === undefined) continue;
      const top = `${index * rowHeight}px`;
      if (row.style.top !== top) row.style.top = top;
      fill(row, item, index);
    }
  }

  #addRow(): void {
    const row = this.#shape.make();
    row.classList.add("list-row");
    this.#rows.push(row);
    this.#spacer.append(row);
  }
}

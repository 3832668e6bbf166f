import type { Palette } from "./timeline-paint.js";

/** The colours of the style sheet, as a canvas needs them; read anew when light turns to dark. */
export class TimelinePalette {
  #read: Palette | undefined;

  constructor(changed: () => void) {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.#read = undefined;
      changed();
    });
  }

  get colours(): Palette {
    this.#read ??= readPalette();
    return this.#read;
  }
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const family = getComputedStyle(document.body).fontFamily;
  return {
    phases: {
      starting: colour("--starting"),
      fetching: colour("--fetching"),
      storing: colour("--storing"),
      waiting: colour("--waiting"),
    },
    jobs: [1, 2, 3, 4, 5, 6, 7, 8].map((number) => colour(`--job-${number}`)),
    ink: colour("--ink-2"),
    faint: colour("--line-strong"),
    grid: colour("--line"),
    panel: colour("--panel"),
    chosen: colour("--accent"),
    onBar: colour("--on-bar"),
    font: `11px ${family}`,
    mono: `11px ${colour("--mono")}`,
  };
}

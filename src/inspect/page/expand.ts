import { byId, setAttributes } from "./element.js";

/** Lets one panel have the room of all, beside the tree; its button, or Escape, gives it back. */
export function makeExpandable(): void {
  const buttons = [...document.querySelectorAll<HTMLElement>("[data-expand]")];
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const isOpen = button.getAttribute("aria-pressed") !== "true";
      setAttributes(button, { "aria-pressed": String(isOpen) });
      button.textContent = isOpen ? "Shrink" : "Expand";
      setAttributes(byId("main"), { "data-expanded": isOpen ? button.dataset.expand : undefined });
    });
  }
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") buttons.find((button) => button.getAttribute("aria-pressed") === "true")?.click();
  });
}

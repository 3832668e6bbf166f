import { onTestFinished } from "vitest";
import { createLocalInspector, type LocalInspector, type LocalInspectorOptions } from "../../src/inspect/index.js";

/** An inspector that listens, closed when the test ends. */
export async function openInspector(options: LocalInspectorOptions = {}): Promise<LocalInspector> {
  const inspector = createLocalInspector(options);
  onTestFinished(() => inspector.close());
  await inspector.listen();
  return inspector;
}

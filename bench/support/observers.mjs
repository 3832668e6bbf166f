// Who looks at a runner, by name: what it passes as `inspect`, and how that ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createLocalInspector, redacted } from "fairbatch/inspect";

const NOBODY = { inspect: undefined, close: async () => {} };

const OBSERVERS = {
  "no-op": async () => ({ ...NOBODY, inspect: () => {} }),
  redacted: async () => ({ ...NOBODY, inspect: redacted(() => {}) }),
  local: async () => createLocalInspector(),
  async "looked-at"() {
    const inspector = createLocalInspector();
    const reader = await readElsewhere(`${await inspector.listen()}stream`);
    return {
      inspect: inspector.inspect,
      async close() {
        reader.kill();
        await inspector.close();
      },
    };
  },
};

export async function observer(name) {
  return name === undefined ? NOBODY : OBSERVERS[name]();
}

/** Reads a stream in another process, as a browser would, and drops what it reads. */
async function readElsewhere(url) {
  const source = `for await (const chunk of (await fetch(${JSON.stringify(url)})).body) process.stdout.write(chunk.length + "\\n");`;
  const reader = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(reader.stdout, "data");
  reader.stdout.resume();
  return reader;
}

// Builds the page of the inspector into dist/inspect/page: files of fixed names, since they are served from memory and never cached.
import { copyFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const project = fileURLToPath(new URL("..", import.meta.url));
const outDir = join(project, "dist/inspect/page");
const elk = dirname(createRequire(import.meta.url).resolve("elkjs/package.json"));
const { version } = createRequire(import.meta.url)("elkjs/package.json");

await build({
  configFile: false,
  logLevel: "warn",
  root: join(project, "src/inspect/page"),
  // Relative addresses: the page is served under a path that holds a secret.
  base: "./",
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { output: { entryFileNames: "page.js", assetFileNames: "page[extname]" } },
  },
});

// Under another licence than the rest, so that it stays a file of its own, unchanged, with its terms beside it.
await copyFile(join(elk, "lib/elk-worker.min.js"), join(outDir, "elk-worker.js"));
await copyFile(join(elk, "LICENSE.md"), join(outDir, "elk-worker.LICENSE.txt"));
await writeFile(
  join(outDir, "elk-worker.NOTICE.txt"),
  `elk-worker.js is lib/elk-worker.min.js of elkjs ${version}, unchanged, under the Eclipse Public License 2.0\n` +
    "(elk-worker.LICENSE.txt). Its source: https://github.com/kieler/elkjs\n",
);

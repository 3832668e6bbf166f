import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const src = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  // The examples name the package as its users do.
  resolve: {
    alias: [
      { find: /^fairbatch$/, replacement: src("index.ts") },
      { find: /^fairbatch\/(\w+)$/, replacement: src("$1/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    environment: "node",
    pool: "forks",
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    typecheck: {
      enabled: true,
      include: ["test/types/*.test-d.ts"],
      tsconfig: "tsconfig.json",
      // Errors outside of the type tests are for `npm run typecheck` to report.
      ignoreSourceErrors: true,
    },
  },
});

import { defineConfig } from "vitest/config";

export default defineConfig({
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

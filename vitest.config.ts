import type { ViteUserConfig } from "vitest/config";

// The forks pool, because worker threads do not start under Deno.
const config: ViteUserConfig = {
  test: {
    pool: "forks",
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/real/**"] },
      },
      {
        extends: true,
        test: {
          name: "real",
          include: ["test/real/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
};

export default config;

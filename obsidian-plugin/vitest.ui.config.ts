import { defineConfig } from "vitest/config";

/** Tests in a real Chromium. One file at a time: they share one machine with everything else. */
export default defineConfig({
	test: { include: ["tests/ui/**/*.test.ts"], environment: "node", testTimeout: 30_000, hookTimeout: 60_000, fileParallelism: false, globalSetup: ["tests/ui/build.ts"] },
});

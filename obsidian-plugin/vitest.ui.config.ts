import { defineConfig } from "vitest/config";
import { PATIENCE } from "./tests/patience";

/** Tests in a real Chromium. One file at a time: they share one machine with everything else. */
export default defineConfig({
	test: {
		include: ["tests/ui/**/*.test.ts"],
		environment: "node",
		testTimeout: 2 * PATIENCE,
		hookTimeout: 2 * PATIENCE,
		expect: { poll: { timeout: PATIENCE } },
		fileParallelism: false,
		globalSetup: ["tests/ui/build.ts"],
	},
});

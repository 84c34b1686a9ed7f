import { defineConfig } from "vitest/config";
import { PATIENCE } from "./tests/patience";

/** Tests in a real Chromium. Two files at a time: a test waits for its window half of its time. */
export default defineConfig({
	test: {
		include: ["tests/ui/**/*.test.ts"],
		environment: "node",
		testTimeout: 2 * PATIENCE,
		hookTimeout: 2 * PATIENCE,
		expect: { poll: { timeout: PATIENCE } },
		maxWorkers: 2,
		globalSetup: ["tests/ui/build.ts"],
	},
});

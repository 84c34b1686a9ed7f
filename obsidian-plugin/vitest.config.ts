import { defineConfig } from "vitest/config";
import { PATIENCE } from "./tests/patience";

export default defineConfig({
	test: { include: ["tests/*.test.ts", "tests/core/**/*.test.ts", "tests/platform/**/*.test.ts"], environment: "node", testTimeout: 2 * PATIENCE, expect: { poll: { timeout: PATIENCE } } },
});

import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { PATIENCE } from "./tests/patience";

/** Files that take minutes: they come first, so that no worker is left with one of them at the end. */
const LONG = ["screenshots.test.ts", "real.test.ts", "consent.test.ts", "starting.test.ts"];

class LongFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const place = ({ moduleId }: TestSpecification): number => {
			const at = LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
			return at < 0 ? LONG.length : at;
		};
		return (await super.sort(files)).sort((one, other) => place(one) - place(other));
	}
}

/** Tests in a real Chromium. Three files at a time: a test waits for its window half of its time. */
export default defineConfig({
	test: {
		include: ["tests/ui/**/*.test.ts"],
		environment: "node",
		testTimeout: 2 * PATIENCE,
		hookTimeout: 2 * PATIENCE,
		expect: { poll: { timeout: PATIENCE } },
		maxWorkers: 3,
		sequence: { sequencer: LongFirst },
		globalSetup: ["tests/ui/build.ts"],
	},
});

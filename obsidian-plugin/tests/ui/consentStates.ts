/** Every state in which a person can see a question, and what the plugin says of questions elsewhere. */

import type { Page } from "playwright-core";
import type { FakeBridge } from "./fakeBridge";
import { create, files, hostile, hunks, many, network, putAgain, question, read, submitted, unnamed } from "./questions";

/** Where a state is drawn: the window of the app, and the bridge behind it. */
interface Stage {
	page: Page;
	bridge: FakeBridge;
}

interface State {
	name: string;
	show: (stage: Stage) => Promise<void>;
}

async function ask({ page, bridge }: Stage, ...questions: object[]): Promise<void> {
	await page.waitForSelector(".vault-bridge-status.is-connected");
	for (const one of questions) bridge.ask(one);
	await page.waitForSelector(".vault-bridge-consent");
	await awake(page);
}

/** Until every answer counts. */
async function awake(page: Page): Promise<void> {
	await page.waitForFunction(() => document.querySelector('.vault-bridge-answers .vault-bridge-answer[aria-disabled="true"]') === null);
}

const asking = (name: string, ...questions: (() => object)[]): State => ({ name, show: async (stage) => ask(stage, ...questions.map((one) => one())) });

/** A question that was asked, and what is done with it then. */
const then = (name: string, questions: (() => object)[], act: (stage: Stage) => Promise<void>): State => ({
	name,
	show: async (stage) => {
		await ask(stage, ...questions.map((one) => one()));
		await act(stage);
	},
});

/** A question in a window of some size. */
const sized = (name: string, width: number, height: number, one: () => object): State => ({
	name,
	show: async (stage) => {
		await stage.page.setViewportSize({ width, height });
		await ask(stage, one());
	},
});

const remember = async ({ page }: Stage): Promise<void> => {
	await page.click("text=Remember…");
	await awake(page);
};

export const consentStates: readonly State[] = [
	asking("consent-edit", question),
	asking("consent-create", create),
	asking("consent-read", read),
	asking("consent-unnamed", unnamed),
	asking("consent-network", network),
	asking("consent-files", files),
	asking("consent-many", () => many(300)),
	asking("consent-hostile", hostile),
	asking("consent-queue", question, () => question({ requestId: "c-2" }), () => question({ requestId: "c-3" })),
	asking("consent-soon", () => question({ expiresAt: new Date(Date.now() + 20_000).toISOString() })),
	sized("consent-low", 800, 480, question),
	sized("consent-small", 550, 400, question),
	sized("consent-narrow", 420, 700, question),
	then("consent-remember", [read], remember),
	then("consent-remember-adding", [create], remember),
	then("consent-remember-hostile", [hostile], remember),
	{
		name: "consent-remember-narrow",
		show: async (stage) => {
			await stage.page.setViewportSize({ width: 420, height: 700 });
			await ask(stage, read());
			await remember(stage);
		},
	},
	then("consent-many-filter", [() => many(300)], async ({ page }) => { await page.fill(".vault-bridge-totals input", "n29"); }),
	then("consent-many-open", [() => many(300)], async ({ page }) => { await page.click(".vault-bridge-follows > summary"); }),
	then("consent-hunks", [hunks], async ({ page }) => {
		await page.click(".vault-bridge-hunk-header input >> nth=0");
		await awake(page);
	}),
	asking("consent-draft", submitted),
	asking("consent-draft-again", putAgain),
	sized("consent-draft-narrow", 420, 700, submitted),
	then("consent-draft-part", [submitted], async ({ page }) => {
		await page.uncheck(".vault-bridge-together-head input >> nth=0");
		await page.uncheck('.vault-bridge-choice:has-text("New.md") > input');
		await page.click('.vault-bridge-file:has-text("Long.md") > summary');
		await page.uncheck(".vault-bridge-hunk-header input >> nth=0");
		await awake(page);
	}),
	then("consent-editor", [create], async ({ page, bridge }) => {
		bridge.answers.set("consent.revise", () => ({ accepted: false, question: null, reason: "The file has changed meanwhile" }));
		await page.click('button:text-is("Edit")');
		await page.click("text=Use this text");
		await page.waitForSelector("text=The file has changed meanwhile");
	}),
	then("consent-revised", [create], async ({ page, bridge }) => {
		bridge.notify("consent.revised", create({ revised: true, planDigest: "sha256:9" }));
		await page.waitForSelector("text=You have changed this text.");
		await awake(page);
	}),
	then("consent-together", [question, create, () => many(300), hunks, read], async ({ page }) => {
		await page.click("text=Answer 5 together");
		await page.waitForSelector(".vault-bridge-group");
		await awake(page);
	}),
	then("consent-lost", [question], async ({ page, bridge }) => {
		bridge.stop();
		await page.waitForSelector("text=The connection to the bridge is lost");
	}),
	then("consent-denied", [question], async ({ page }) => {
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await page.waitForSelector('.notice button:text-is("Undo")');
	}),
	then("consent-later", [question], async ({ page }) => {
		await page.keyboard.press("Escape");
		await page.waitForSelector(".notice:has-text('Still waiting')");
	}),
	then("consent-remembered", [read], async (stage) => {
		const sentence = "Claude Code may use Grep without asking, until the bridge stops.";
		stage.bridge.answers.set("consent.grants", () => [{ grantId: "s-9", kind: "session", who: "client", what: "tool", until: "stop", sentence, decision: "allow_session" }]);
		await remember(stage);
		await stage.page.click('.vault-bridge-option button:has(:text-is("Allow for session: Grep"))');
		await stage.page.waitForSelector('.notice button:text-is("Take back")');
	}),
	{
		name: "consent-waiting",
		show: async ({ page, bridge }) => {
			await page.waitForSelector(".vault-bridge-status.is-connected");
			await page.keyboard.press("ArrowDown");
			bridge.ask(question());
			await page.waitForSelector('.notice button:text-is("Show")');
		},
	},
	{
		name: "consent-counter",
		show: async ({ page, bridge }) => {
			await page.waitForSelector(".vault-bridge-status.is-connected");
			const grant = { grantId: "s-7", kind: "session", who: "client", what: "adding", until: "time", client: "Claude Code", decision: "allow_session", mostFiles: 50, usedFiles: 12, sentence: "Claude Code may add in Ideas/, up to 50 files." };
			bridge.notify("grants.changed", { bounded: [grant, { ...grant, grantId: "s-8", client: "Kitchen tablet", usedFiles: 3 }] });
			await page.click(".vault-bridge-counter");
			await page.waitForSelector(".menu");
		},
	},
];

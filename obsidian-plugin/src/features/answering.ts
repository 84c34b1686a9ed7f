/** Carries answers to the bridge, and says afterwards what holds from now on. */

import type { Denial } from "../core/consent/heldDenials";
import { Disconnected } from "../core/rpc/client";
import { messageOf } from "../core/settings/store";
import type { AnswerOption, ConsentReply, ConsentRequest, PlaceChoice, RespondParams, Revision } from "../core/wire/contract";
import { ask } from "../core/wire/reading";
import type { Context } from "../ui/context";
import { showNotice, tell, tellFailure } from "../ui/notice";

/** Milliseconds that one can take an answer back where it was given. */
const TAKE_BACK_MS = 20_000;

export type NotTaken = "lost" | "refused";

export class Answering {
	/** Questions whose end is ours, so that nobody needs to hear of it. */
	private readonly sent = new Set<string>();

	constructor(private readonly context: Context) {}

	/** Whether this question ended because of what was sent from here. Asked once. */
	ended(requestId: string): boolean {
		return this.sent.delete(requestId);
	}

	/** @returns Null when the bridge took it, or the question had ended otherwise. */
	async answer(answer: RespondParams, option: AnswerOption | null): Promise<NotTaken | null> {
		const notTaken = await this.send([answer], async () => [await ask(this.context.request, "consent.respond", answer)]);
		if (notTaken === null && option) void this.sayWhatHolds(option);
		return notTaken;
	}

	/** @returns The same, for answers that were given in one list. */
	async answerAll(answers: readonly RespondParams[]): Promise<NotTaken | null> {
		return this.send(answers, async () => ask(this.context.request, "consent.respondAll", { answers: [...answers] }));
	}

	/** Denials whose ten seconds are over. One that does not get through is a question that is still open. */
	async deny(denials: readonly Denial[]): Promise<void> {
		const answers = denials.map((one) => one.answer);
		const [only] = answers;
		await (answers.length === 1 && only ? this.answer(only, null) : this.answerAll(answers));
	}

	/** @returns Why the bridge did not take a person's own text; null when it did. */
	async revise(request: ConsentRequest, path: string, hunk: number, text: string): Promise<string | null> {
		return this.change(request, async (shown) => ask(this.context.request, "consent.revise", { ...shown, path, hunk, text }));
	}

	/** @returns Why the bridge did not take what a person takes where others changed the same; null when it did. */
	async resolve(request: ConsentRequest, choice: PlaceChoice): Promise<string | null> {
		return this.change(request, async (shown) => ask(this.context.request, "consent.resolve", { ...shown, choices: [choice] }));
	}

	private async change({ requestId, planDigest }: ConsentRequest, work: (shown: { requestId: string; planDigest: string }) => Promise<Revision>): Promise<string | null> {
		if (planDigest === null) return "This cannot be edited.";
		try {
			const { accepted, question, reason } = await work({ requestId, planDigest });
			if (question) this.context.questions.revise(question);
			return accepted ? null : (reason ?? "The bridge did not take this.");
		} catch (error) {
			return messageOf(error);
		}
	}

	private async send(answers: readonly RespondParams[], work: () => Promise<ConsentReply[]>): Promise<NotTaken | null> {
		for (const { requestId } of answers) this.sent.add(requestId);
		try {
			const replies = await work();
			let notTaken: NotTaken | null = null;
			for (const [index, answer] of answers.entries()) {
				const reply = replies[index];
				if (!reply || !this.take(answer, reply)) notTaken = "refused";
			}
			return notTaken;
		} catch (error) {
			for (const { requestId } of answers) this.sent.delete(requestId);
			if (error instanceof Disconnected) return "lost";
			tell(`Vault Bridge: ${messageOf(error)}`);
			return "refused";
		}
	}

	/** What the bridge says to one answer. False when the question is as open as before. */
	private take({ requestId, decision }: RespondParams, { accepted, outcome, by, reason }: ConsentReply): boolean {
		if (!accepted) this.sent.delete(requestId);
		if (!accepted && outcome === null) {
			tell(`Vault Bridge: ${reason ?? "The bridge did not take the answer."}`);
			return false;
		}
		this.context.questions.resolve(requestId, outcome ?? decision, by);
		return true;
	}

	/** The sentence that was chosen is the one that holds; the bridge's list has it with the id that takes it back. */
	private async sayWhatHolds({ sentence, decision }: AnswerOption): Promise<void> {
		const found = await ask(this.context.request, "consent.grants").then((grants) => grants.filter((one) => one.sentence === sentence && one.decision === decision), () => []);
		const grantId = found.at(-1)?.grantId;
		const back = { label: "Take back", act: () => { if (grantId !== undefined) this.takeBack(grantId).catch(tellFailure); } };
		// Not seen over the settings, whose buttons it would cover: the answer is in their list.
		showNotice(sentence, grantId === undefined ? [] : [back], TAKE_BACK_MS, "vault-bridge-notice-held");
	}

	private async takeBack(grantId: string): Promise<void> {
		await this.context.request("consent.revoke", { grantId });
		tell("Taken back. The next time you are asked again.");
	}
}

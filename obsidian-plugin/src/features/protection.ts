/** Says when a program that was told to ask before it edits the vault may do so without. */

import { Component } from "obsidian";
import { readFaults } from "../core/wire/readers";
import type { Context } from "./context";
import { tell } from "../ui/notice";

export class Protection extends Component {
	/** What was said, so that it is said once. */
	private readonly said = new Set<string>();

	constructor(private readonly context: Context) {
		super();
	}

	override onload(): void {
		this.register(this.context.connection.changed.on((state) => {
			if (state.kind === "connected") void this.look();
		}));
	}

	private async look(): Promise<void> {
		try {
			const { unprotected } = readFaults(await this.context.request("bridge.faults"), "bridge.faults");
			for (const sentence of unprotected) {
				if (this.said.has(sentence)) continue;
				this.said.add(sentence);
				tell(sentence, 0);
			}
		} catch (error) {
			console.warn("Vault Bridge:", error);
		}
	}
}

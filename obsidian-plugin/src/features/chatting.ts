/** The chat: a conversation with a model, which works in the vault under the same rules as an agent. */

import { warn } from "../core/warn";
import { Feature } from "./feature";

export class Chatting extends Feature {
	override onload(): void {
		const { chat } = this.context;
		this.hear({
			"chat.delta": (event) => { chat.heard(event); },
			"chat.tool": (event) => { chat.used(event); },
			"chat.done": (event) => { chat.ended(event); },
		});
		this.follow(() => { chat.refresh().catch(warn); }, () => { chat.lost(); });
	}
}

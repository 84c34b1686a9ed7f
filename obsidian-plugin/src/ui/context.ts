/** What the parts of the plugin share. `main.ts` builds it once. */

import type { App, Plugin } from "obsidian";
import type { ChatSession } from "../core/chat/session";
import type { Clock } from "../core/clock";
import type { Questions } from "../core/consent/questions";
import type { Choices } from "../core/diff/selection";
import type { History } from "../core/history";
import type { Listing } from "../core/listing";
import type { Connection } from "../core/rpc/connection";
import type { Device } from "../core/settings/device";
import type { SettingsStore } from "../core/settings/store";
import type { Request } from "../core/wire/reading";

/** Leads to what the plugin shows. */
export type Opening = Record<"activity" | "changes" | "chat" | "drafts" | "inbox" | "log" | "settings" | "start" | "templates", () => void> & {
	/** The changes of other programs, with one of them open. */
	change: (executionId: string) => void;
	/** The chat, with the beginning of a message. */
	message: (text: string) => void;
	/** One question, or null: all of them. */
	question: (requestId: string | null) => void;
};

export interface Context {
	open: Opening;
	plugin: Plugin;
	app: App;
	clock: Clock;
	connection: Connection;
	questions: Questions;
	choices: Choices;
	chat: ChatSession;
	drafts: Listing<"drafts.list">;
	history: History;
	inbox: Listing<"inbox.list">;
	settings: SettingsStore;
	templates: Listing<"templates.list">;
	device: Device;
	/** Whether a window of the app has the focus, and whether the person is writing. */
	presence: { readonly inFront: boolean; readonly isWriting: boolean };
	/** Ask the bridge; rejects while there is none. */
	request: Request;
}

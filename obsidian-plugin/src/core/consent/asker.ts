/** Who asks, and what about, in the few words that a notice or a notification has room for. */

import { sanitizePlain, shorten } from "../text";
import { SHARED_ID } from "../wire/clients";
import type { ConsentRequest } from "../wire/contract";

export const NAMELESS = "A program without a name of its own";

/** The name that the person gave, and nothing that the program says of itself. */
export function askerOf({ verified, client }: ConsentRequest): string {
	return verified ? client : NAMELESS;
}

/** The same for two questions that can be answered together: of one client, or of one connection of those without a name. */
export function groupOf({ clientId, sessionId }: ConsentRequest): string {
	return clientId === SHARED_ID || clientId === "" ? `session ${sessionId}` : `client ${clientId}`;
}

/** The names of the files that a question is about, without their folders: the first, and how many more. */
export function filesOf({ preview, targets }: ConsentRequest): string {
	const paths = preview && preview.files.length > 0 ? preview.files.filter((file) => !file.follows).map((file) => file.path) : targets;
	const [first] = paths;
	if (first === undefined) return "";
	const name = first.replace(/\/+$/, "").split("/").at(-1) ?? first;
	return paths.length > 1 ? `${name} and ${paths.length - 1} more` : name;
}

/** The file that a person would want to look at before answering, if there is one yet. */
export function noteOf({ preview, targets }: ConsentRequest): string | null {
	const file = preview?.files.find((one) => one.change === "modify" || one.change === "move" || one.change === "delete");
	return file?.path ?? (preview && preview.files.length > 0 ? null : (targets[0] ?? null));
}

const LONGEST_TITLE = 60;
const LONGEST_BODY = 160;

/** What a notification of the system says: the tool and the names of files, and no sign that it could take for markup. */
export function notificationOf(request: ConsentRequest, waiting: number): { title: string; body: string } {
	const title = waiting > 1 ? `Vault Bridge: ${waiting} questions wait` : `Vault Bridge asks: ${plain(request.tool.title, LONGEST_TITLE)}`;
	return { title, body: plain(filesOf(request), LONGEST_BODY) };
}

const MARKUP: Readonly<Record<string, string>> = { "<": "‹", ">": "›", "&": "＆" };

export function plain(text: string, most: number): string {
	const safe = sanitizePlain(text)
		.replace(/[<>&]/g, (sign) => MARKUP[sign] ?? "")
		.replace(/\s+/g, " ");
	return shorten(safe, most);
}

/** Undo, redo and the mending of links: each is shown before it is done. */

import type { App } from "obsidian";
import { leftOf, type Direction, type HistoryFilter, type Reversal } from "../core/history";
import { counted } from "../core/text";
import type { ToolResult, UndoneAll, UndoneChange } from "../core/wire/contract";
import type { Context } from "./context";
import { drawFiles } from "./diff/fileList";
import { addWarning, showLongText, showText, showTime } from "./elements";
import { tell, tellFailure } from "./notice";
import { openWindow } from "./window";

/** Changes that stayed as they are which a notice names. */
const MOST_NAMED = 3;

const WORDS = {
	undo: ["Undo this change?", "Undo"],
	redo: ["Redo this change?", "Redo"],
	mend: ["Mend these links?", "Mend"],
} as const;

/** Show what taking a change back, or making it again, does; null: the last one. Do it when the person says so. */
export function reverse({ app, history }: Context, direction: Direction, executionId: string | null): void {
	history.preview(direction, executionId).then((reversal) => { show(app, reversal, async () => history.reverse(direction, executionId)); }).catch(tellFailure);
}

/** The same, for the last change of a note. */
export function undoLast(context: Context, path: string): void {
	context.history.list({ clientId: "", hours: null }, null).then((entries) => {
		const last = entries.find(({ files, canUndo }) => canUndo && files.includes(path));
		if (last) reverse(context, "undo", last.executionId);
		else tell("There is nothing to undo.");
	}).catch(tellFailure);
}

/** Show how links that another program broke would be mended; and do exactly that when the person says so. */
export function mend({ app, history }: Context, executionId: string): void {
	history.foreseeMending(executionId).then((foreseen) => { show(app, foreseen, async () => history.mend(executionId, foreseen.plan)); }).catch(tellFailure);
}

/**
 * List what undoing all that fits would do, and undo exactly that when the person says so.
 *
 * @param first - What is done before that.
 */
export function undoAll({ app, history }: Context, filter: HistoryFilter, first: () => Promise<void> = async () => Promise.resolve()): void {
	const undo = async (executionIds: string[]): Promise<void> => {
		await first();
		const { text, changes } = await history.undoThese(executionIds);
		const kept = changes.flatMap((change) => (change.why === null ? leftOf(change) : [`${change.summary}: ${change.why}`]));
		tell([`${text}.`, ...kept.slice(0, MOST_NAMED)].join("\n"), kept.length > 0 ? 0 : undefined);
	};
	history.foresee(filter).then((foreseen) => {
		if (foreseen.changes.length === 0) tell("There is nothing to undo.");
		else showAll(app, foreseen, (executionIds) => { undo(executionIds).catch(tellFailure); });
	}).catch(tellFailure);
}

function show(app: App, { direction, summary, files, warnings, outside }: Reversal, act: () => Promise<ToolResult>): void {
	const [title, label] = WORDS[direction];
	openWindow(app, title, "tall", (window) => {
		const body = window.addBody();
		showLongText(body.createDiv({ cls: "vault-bridge-summary" }), summary);
		for (const warning of warnings) addWarning(body, warning);
		if (outside) body.createDiv({ cls: "vault-bridge-note", text: "If this vault is synced, your other devices get this too." });
		window.ends.push(drawFiles(body, files, null));
		window.offer(label, () => { act().then(({ success, text, error }) => { tell(success ? text || "Done." : (error ?? text)); }).catch(tellFailure); });
	});
}

function showAll(app: App, { changes, undone, text }: UndoneAll, act: (executionIds: string[]) => void): void {
	const going = changes.filter((change) => change.undone);
	const staying = changes.filter((change) => !change.undone);
	openWindow(app, undone === 0 ? "Nothing can be undone" : `Undo ${counted(undone, "change")}?`, "small", (window) => {
		window.modalEl.addClass("vault-bridge-undo-all");
		const body = window.addBody();
		showText(body.createDiv({ cls: "vault-bridge-summary" }), `${text}.`);
		if (staying.length > 0) drawList(body, "Stays as it is", staying);
		if (going.length > 0) drawList(body, "Is undone, the newest first", going);
		if (undone === 0) window.addCloser(window.addBar(), "Close");
		else window.offer(`Undo ${counted(undone, "change")}`, () => { act(going.map((change) => change.executionId)); }, "mod-warning");
	});
}

function drawList(body: HTMLElement, title: string, changes: readonly UndoneChange[]): void {
	body.createDiv({ cls: "vault-bridge-day", text: title, attr: { role: "heading", "aria-level": "3" } });
	const list = body.createEl("ul", { cls: "vault-bridge-undo-list" });
	for (const change of changes) {
		const item = list.createEl("li");
		showText(item.createDiv(), change.summary || change.files.join(", "));
		const about = item.createDiv({ cls: "vault-bridge-faint" });
		showTime(about, change.time);
		about.appendText(" · ");
		showText(about, change.who);
		for (const said of change.why === null ? leftOf(change) : [change.why]) showText(item.createDiv({ cls: "vault-bridge-problem is-warning" }), said);
	}
}

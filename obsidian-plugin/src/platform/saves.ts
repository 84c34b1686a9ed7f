/**
 * What Obsidian writes into the vault, heard where all of it passes: at the methods of its adapter, and where editors
 * save. Nothing is changed, and nothing waits for us.
 */

import { TextFileView, type App } from "obsidian";
import { warn } from "../core/warn";
import type { ObsidianWrite } from "../core/wire/contract";
import { textViews } from "./editors";
import { sha256 } from "./writes";

type Call = (this: unknown, ...args: unknown[]) => unknown;
/** Is given the arguments of a call, and what it returned. */
type Heard = (args: unknown[], done: unknown) => unknown;

/** Returns the function that ends it. */
export function followWrites(app: App, tell: (write: ObsidianWrite) => void): () => void {
	const { adapter } = app.vault;
	/** What an editor is saving, by the note's path. */
	const saving = new Map<string, string>();
	const isSaved = (path: string, text: string): boolean => saving.get(path) === text || textViews(app).some((view) => view.file?.path === path && view.getViewData() === text);
	const written: Heard = async ([path, data]) => {
		if (!isSeen(path)) return;
		if (typeof data === "string") {
			const typed = isSaved(path, data);
			tell({ path, digest: await sha256(new TextEncoder().encode(data).buffer), typed });
		} else if (data instanceof ArrayBuffer) tell({ path, digest: await sha256(data) });
	};
	/** Only the disk knows what all of it is now. */
	const added: Heard = async ([path], done) => {
		await done;
		if (isSeen(path)) await written([path, await adapter.readBinary(path)], done);
	};
	const moved: Heard = ([path, to]) => {
		if (isSeen(path)) tell(isSeen(to) ? { path: to, source: path } : { path });
	};
	const heard = (name: string, listener: Heard, target: object = adapter): (() => void) =>
		wrap(target, name, (original) => function (...args) {
			const done = Reflect.apply(original, this, args);
			quietly(() => listener(args, done));
			return done;
		});
	const ends = [
		...["write", "writeBinary"].map((name) => heard(name, written)),
		...["append", "appendBinary"].map((name) => heard(name, added)),
		heard("copy", ([, to], done) => added([to], done)),
		heard("rename", moved),
		...["remove", "rmdir", "trashSystem", "trashLocal"].map((name) => heard(name, ([path]) => moved([path], null))),
		wrap(adapter, "process", (original) => function (path, change, ...more) {
			const told = (before: unknown): unknown => {
				const text: unknown = typeof change === "function" ? Reflect.apply(change, undefined, [before]) : before;
				quietly(() => written([path, text], null));
				return text;
			};
			return Reflect.apply(original, this, [path, told, ...more]);
		}),
		wrap(TextFileView.prototype, "save", (original) => function (...args) {
			const view = this instanceof TextFileView ? this : null;
			const path = view?.file?.path ?? "";
			quietly(() => { if (view) saving.set(path, view.getViewData()); });
			const done = Reflect.apply(original, this, args);
			const forget = (): unknown => saving.delete(path);
			Promise.resolve(done).then(forget, forget);
			return done;
		}),
	];
	return () => {
		for (const end of ends) end();
	};
}

/** The bridge looks at no files in folders that begin with a dot. */
function isSeen(path: unknown): path is string {
	return typeof path === "string" && path !== "" && !path.split("/").some((part) => part.startsWith("."));
}

/** Begin something at once. Whatever goes wrong with it is no reason for a note not to be saved. */
function quietly(act: () => unknown): void {
	(async () => { await act(); })().catch(warn);
}

/** Put a function in the place of a method. Returns what takes it away, or lets calls through where others have wrapped it since. */
function wrap(target: object, name: string, around: (original: Call) => Call): () => void {
	const own = Object.hasOwn(target, name);
	const original: unknown = Reflect.get(target, name);
	if (typeof original !== "function") return () => undefined;
	const pass: Call = function (...args) { return Reflect.apply(original, this, args); };
	let inner = around(pass);
	const wrapped: Call = function (...args) { return Reflect.apply(inner, this, args); };
	Reflect.set(target, name, wrapped);
	return () => {
		inner = pass;
		if (Reflect.get(target, name) !== wrapped) return;
		if (own) Reflect.set(target, name, original);
		else Reflect.deleteProperty(target, name);
	};
}

/** Questions about notes that are open, in the notes themselves: the same questions, and the same answers. */

import { Text } from "@codemirror/state";
import { EditorView, ViewPlugin, type PanelConstructor } from "@codemirror/view";
import { editorInfoField, MarkdownView, type TFile } from "obsidian";
import { fileOf, isDrawable, isWhole, questionsAbout } from "../core/consent/inNote";
import type { Gone } from "../core/consent/questions";
import { parseDiff } from "../core/diff/hunks";
import { warn } from "../core/warn";
import type { ConsentRequest, FilePreview } from "../core/wire/contract";
import type { Context } from "../ui/context";
import { addButton } from "../ui/elements";
import { createBar, doneBar, drawNoteQuestion, questionBar, type AnswerOnce } from "../ui/note/noteBar";
import { doneOf, expecting, noteExtension, noteField, showQuestion, type Shown } from "../ui/note/noteField";
import { undoLast } from "../ui/reversing";
import { Feature } from "./feature";

/** What of a question is the same for as long as it is about the same. */
interface Made {
	base: Text | null;
	hunks: Shown["hunks"];
	bar: PanelConstructor;
}

export class InNote extends Feature {
	private readonly views = new Set<EditorView>();
	private readonly made = new Map<string, Made>();
	/** The bars of notes that are open for reading. */
	private readonly bars = new Map<MarkdownView, { request: ConsentRequest; el: HTMLElement; showOthers: (others: number) => void }>();

	constructor(
		context: Context,
		private readonly answer: AnswerOnce,
	) {
		super(context);
	}

	override onload(): void {
		const { app, plugin, choices, questions, connection, device } = this.context;
		const { views } = this;
		const refresh = (): void => { this.refresh(); };
		const later = (): void => { this.context.clock.after(0, refresh); };
		class Registered {
			constructor(private readonly view: EditorView) {
				views.add(view);
				later();
			}

			destroy(): void {
				views.delete(this.view);
			}
		}
		plugin.registerEditorExtension([noteExtension, ViewPlugin.fromClass(Registered)]);
		for (const changes of [questions.changed, questions.revised, connection.changed, choices.changed, device.changed]) this.register(changes.on(refresh));
		this.on(questions.gone, (gone) => { this.ended(gone); });
		const { workspace, vault } = app;
		this.registerEvent(workspace.on("layout-change", later));
		this.registerEvent(workspace.on("file-open", later));
		this.registerEvent(vault.on("rename", later));
	}

	override onunload(): void {
		for (const view of this.views) view.dispatch({ effects: showQuestion.of(null) });
		this.views.clear();
		this.showBars(new Map());
	}

	/** Whether a question is shown, whole, in a note that the person has before them. */
	covers(request: ConsentRequest): boolean {
		if (!this.isOn || !isWhole(request)) return false;
		return [...this.views].some((view) => view.dom.checkVisibility() && fileOf(pathIn(view) ?? "", request) !== null);
	}

	private get isOn(): boolean {
		return this.context.device.settings.inNote;
	}

	private about(path: string): ConsentRequest[] {
		return this.isOn ? questionsAbout(path, this.context.questions.all.map(({ request }) => request)) : [];
	}

	private refresh(): void {
		for (const view of this.views) {
			const file = fileIn(view);
			const shown = file && this.shownIn(file, view.state.field(noteField, false)?.shown ?? null);
			if (view.state.field(noteField, false)?.shown !== shown) view.dispatch({ effects: showQuestion.of(shown) });
		}
		this.showReading();
	}

	/** @param before - What is shown there now: as long as nothing about it is new, so it stays. */
	private shownIn(file: TFile, before: Shown | null): Shown | null {
		const [request, ...others] = this.about(file.path);
		const preview = request && fileOf(file.path, request);
		if (!preview) return null;
		const { base, hunks, bar } = this.makeFor(file, request, preview);
		const selection = this.context.choices.of(request);
		const left = (selection?.of(file.path) ?? []).flatMap((part) => (part.hunk !== null && !selection?.has(part) ? [part.hunk] : []));
		const lost = !this.context.connection.connected;
		if (before?.bar === bar && before.base === base && before.lost === lost && before.left.join() === left.join() && before.more === others.length) return before;
		return { request, file: preview, hunks, base, selection, left, lost, more: others.length, bar };
	}

	private makeFor(file: TFile, request: ConsentRequest, preview: FilePreview): Made {
		const key = `${request.requestId} ${request.planDigest ?? ""} ${file.path}`;
		const known = this.made.get(key);
		if (known) return known;
		const made: Made = { base: null, hunks: isDrawable(preview) ? parseDiff(preview.diff) : [], bar: questionBar(request, preview, this.context, this.answer) };
		this.made.set(key, made);
		if (made.hunks.length > 0) this.read(file, made).catch(warn);
		return made;
	}

	/** What the question was made of is what was on the disk when it came. What is written later is other text. */
	private async read(file: TFile, made: Made): Promise<void> {
		made.base = Text.of((await this.context.app.vault.read(file)).split(/\r\n?|\n/u));
		this.refresh();
	}

	private ended({ question: { request }, outcome }: Gone): void {
		const allowed = outcome?.startsWith("allow") === true;
		for (const view of allowed ? this.views : []) {
			const shown = view.state.field(noteField, false)?.shown;
			const path = pathIn(view);
			if (shown?.request.requestId !== request.requestId || path === null) continue;
			const undo = (): void => { undoLast(this.context, pathIn(view) ?? path); };
			const done = doneOf(request, shown, doneBar(request, undo), undo);
			if (done) view.dispatch(expecting(view, done));
		}
		for (const key of this.made.keys()) if (key.startsWith(`${request.requestId} `)) this.made.delete(key);
	}

	private showReading(): void {
		const wanted = new Map<MarkdownView, ConsentRequest[]>();
		this.context.app.workspace.iterateAllLeaves(({ view }) => {
			if (!(view instanceof MarkdownView) || view.getMode() !== "preview" || !view.file) return;
			const about = this.about(view.file.path);
			if (about.length > 0) wanted.set(view, about);
		});
		this.showBars(wanted);
	}

	private showBars(wanted: ReadonlyMap<MarkdownView, readonly ConsentRequest[]>): void {
		for (const [view, { el, request, showOthers }] of this.bars) {
			const about = wanted.get(view) ?? [];
			if (about[0] === request) showOthers(about.length - 1);
			else {
				el.remove();
				this.bars.delete(view);
			}
		}
		for (const [view, [request, ...others]] of wanted) {
			if (!request || this.bars.has(view)) continue;
			const el = createBar();
			const showOthers = drawNoteQuestion(el, request);
			showOthers(others.length);
			addButton(el.createDiv({ cls: "vault-bridge-note-bar-buttons" }), "Open the question", () => { this.context.open.question(request.requestId); });
			view.containerEl.insertBefore(el, view.contentEl);
			this.bars.set(view, { request, el, showOthers });
		}
	}
}

function fileIn(view: EditorView): TFile | null {
	return view.state.field(editorInfoField, false)?.file ?? null;
}

function pathIn(view: EditorView): string | null {
	return fileIn(view)?.path ?? null;
}

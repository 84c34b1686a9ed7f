/** What the bridge says of something, drawn into an element, and drawn anew whenever it may be another. */

import { SettingPage } from "obsidian";
import { onEvents } from "../core/hearing";
import { messageOf } from "../core/settings/store";
import type { EventName } from "../core/wire/contract";
import { isUnknown, type MethodName, type MethodParams } from "../core/wire/reading";
import type { Context } from "./context";
import { addEmpty, keepFocus, released } from "./elements";
import { tell } from "./notice";

export abstract class LiveList<T> {
	/** What a bridge does that does not know the method. */
	protected abstract readonly old: string;
	/** The events after which it may be another, and what is then written into the log. */
	protected readonly events: readonly EventName[] = [];
	protected readonly kinds: readonly string[] = [];
	private drawing = 0;
	private unfollow = (): void => undefined;

	constructor(
		protected readonly el: HTMLElement,
		protected readonly context: Context,
	) {}

	begin(): void {
		this.unfollow = onEvents(this.context.connection, this.events, this.kinds, () => {
			if (this.el.isConnected) void this.draw();
			else this.end();
		});
		void this.draw();
	}

	end(): void {
		this.unfollow();
	}

	protected abstract load(): Promise<T>;

	protected abstract drawAll(loaded: T): void;

	protected async draw(): Promise<void> {
		const turn = ++this.drawing;
		const found = await this.load().then(
			(loaded) => ({ loaded }),
			(error: unknown) => ({ trouble: isUnknown(error) ? `The bridge of this vault is of an older version, which ${this.old}. Update it.` : messageOf(error) }),
		);
		await released(this.el);
		if (turn !== this.drawing) return;
		const giveBack = keepFocus(this.el);
		this.el.empty();
		if ("trouble" in found) addEmpty(this.el, found.trouble);
		else this.drawAll(found.loaded);
		giveBack();
	}

	/** Do something, and draw what is then. Null, or what went wrong. */
	protected async attempt(action: () => Promise<unknown>): Promise<string | null> {
		try {
			await action();
			return null;
		} catch (error) {
			return messageOf(error);
		} finally {
			void this.draw();
		}
	}

	/** The same, with a notice of what went wrong. */
	protected async act<M extends MethodName>(method: M, params: MethodParams<M>): Promise<void> {
		const trouble = await this.attempt(async () => this.context.request(method, params));
		if (trouble !== null) tell(trouble);
	}
}

/** Such a list as a page of the settings. */
export class ListPage extends SettingPage {
	private list: LiveList<unknown> | null = null;

	constructor(
		override title: string,
		private readonly context: Context,
		private readonly List: new (el: HTMLElement, context: Context) => LiveList<unknown>,
	) {
		super();
	}

	override display(): void {
		if (this.list) return;
		this.list = new this.List(this.containerEl, this.context);
		this.list.begin();
	}

	override hide(): void {
		this.list?.end();
		this.list = null;
	}
}

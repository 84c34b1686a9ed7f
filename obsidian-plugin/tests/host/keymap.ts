/** Scope and the stack of scopes that decides which one gets a key: the newest. */

export type Modifier = "Mod" | "Ctrl" | "Meta" | "Shift" | "Alt";
type Listener = (event: KeyboardEvent) => unknown;

export interface KeymapEventHandler {
	scope: Scope;
	modifiers: Modifier[] | null;
	key: string | null;
	listener: Listener;
}

export class Scope {
	private readonly handlers: KeymapEventHandler[] = [];

	constructor(readonly parent?: Scope) {}

	register(modifiers: Modifier[] | null, key: string | null, listener: Listener): KeymapEventHandler {
		const handler = { scope: this, modifiers, key, listener };
		this.handlers.push(handler);
		return handler;
	}

	unregister(handler: KeymapEventHandler): void {
		const index = this.handlers.indexOf(handler);
		if (index >= 0) this.handlers.splice(index, 1);
	}

	/** Returns what the handler said; null when no handler is for this key. */
	handle(event: KeyboardEvent): { answer: unknown } | null {
		const handler = this.handlers.find(({ modifiers, key }) => (key === null || key.toLowerCase() === event.key.toLowerCase()) && (modifiers === null || matches(modifiers, event)));
		return handler ? { answer: handler.listener(event) } : (this.parent?.handle(event) ?? null);
	}
}

function matches(modifiers: readonly Modifier[], event: KeyboardEvent): boolean {
	const wanted = new Set(modifiers.map((one) => (one === "Mod" ? "Ctrl" : one)));
	return wanted.has("Ctrl") === event.ctrlKey && wanted.has("Meta") === event.metaKey && wanted.has("Shift") === event.shiftKey && wanted.has("Alt") === event.altKey;
}

export class Keymap {
	private readonly stack: Scope[] = [];

	pushScope(scope: Scope): void {
		this.stack.push(scope);
	}

	popScope(scope: Scope): void {
		const index = this.stack.lastIndexOf(scope);
		if (index >= 0) this.stack.splice(index, 1);
	}

	/** Keys of a window. They come here before any element hears of them, so no element can keep one for itself. */
	listen(win: Window): void {
		win.addEventListener(
			"keydown",
			(event) => {
				if (event.isComposing) return;
				if (this.stack.at(-1)?.handle(event)?.answer !== false) return;
				event.preventDefault();
				event.stopPropagation();
			},
			{ capture: true },
		);
	}
}

/** Obsidian's events: what is registered hears until it is taken off, and one that throws keeps no other from hearing. */

export interface EventRef {
	readonly events: Events;
	readonly name: string;
	readonly callback: (...data: unknown[]) => unknown;
}

export class Events {
	private readonly refs = new Set<EventRef>();

	on(name: string, callback: (...data: unknown[]) => unknown): EventRef {
		const ref = { events: this, name, callback };
		this.refs.add(ref);
		return ref;
	}

	offref(ref: EventRef): void {
		this.refs.delete(ref);
	}

	trigger(name: string, ...data: unknown[]): void {
		for (const ref of [...this.refs]) {
			if (ref.name !== name) continue;
			try {
				ref.callback(...data);
			} catch (error) {
				window.setTimeout(() => { throw error; });
			}
		}
	}
}

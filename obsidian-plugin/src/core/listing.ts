/** A list of the bridge's: as it was when it was last asked for, or not known. */

import { Emitter } from "./emitter";
import { readable, type Reader } from "./json";
import type { Connection } from "./rpc/connection";
import type { MethodName, Request } from "./wire/request";

export class Listing<T> {
	/** It is another, or is known no longer. */
	readonly changed = new Emitter<null>();
	private items: readonly T[] | null = null;
	private asked = 0;

	constructor(
		protected readonly request: Request,
		private readonly method: MethodName,
		private readonly reader: Reader<T>,
	) {}

	/** In the bridge's order; null while they are not known. */
	get all(): readonly T[] | null {
		return this.items;
	}

	/** Ask for them anew. What was asked before does not count any more. */
	async refresh(): Promise<void> {
		const asked = ++this.asked;
		const items = readable(this.reader)(await this.request(this.method), this.method);
		if (asked === this.asked) this.take(items);
	}

	/** The same, where nobody waits for it. */
	catchUp(): void {
		this.refresh().catch((error: unknown) => { console.warn("Vault Bridge:", error); });
	}

	/** Know them while there is a bridge. Returns the function that ends that. */
	follow(connection: Connection): () => void {
		return connection.changed.on((state) => {
			if (state.kind === "connected") this.catchUp();
			else this.forget();
		});
	}

	/** The bridge is gone. */
	forget(): void {
		this.asked++;
		this.take(null);
	}

	private take(items: readonly T[] | null): void {
		this.items = items;
		this.changed.emit(null);
	}
}

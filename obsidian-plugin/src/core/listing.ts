/** A list of the bridge's: as it was when it was last asked for, or not known. */

import { Emitter } from "./emitter";
import { Latest } from "./overtaking";
import type { Connection } from "./rpc/connection";
import { warn } from "./warn";
import type { Methods } from "./wire/contract";
import { ask, type Answered, type Request } from "./wire/reading";

/** The methods that answer with a list and need no parameters. */
type Lists = { [M in Answered]: Methods[M]["result"] extends readonly object[] ? M : never }[Answered];

export class Listing<M extends Lists> {
	/** It is another, or is known no longer. */
	readonly changed = new Emitter<null>();
	private items: Methods[M]["result"] | null = null;
	private readonly latest = new Latest();

	constructor(
		private readonly request: Request,
		private readonly method: M,
	) {}

	/** In the bridge's order; null while they are not known. */
	get all(): Methods[M]["result"] | null {
		return this.items;
	}

	/** Ask for them anew. What was asked before does not count any more. */
	async refresh(): Promise<void> {
		await this.latest.of(ask(this.request, this.method), (items) => { this.take(items); });
	}

	/** The same, where nobody waits for it. */
	catchUp(): void {
		this.refresh().catch(warn);
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
		this.latest.overtake();
		this.take(null);
	}

	private take(items: Methods[M]["result"] | null): void {
		this.items = items;
		this.changed.emit(null);
	}
}

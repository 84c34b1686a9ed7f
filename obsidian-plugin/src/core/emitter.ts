/** A list of listeners. One that throws does not keep the others from hearing. */
export class Emitter<T> {
	private readonly listeners = new Set<(value: T) => void>();

	/** Call the listener with every value from now on. Returns the function that ends it. */
	on(listener: (value: T) => void): () => void {
		this.listeners.add(listener);
		return () => {
			this.listeners.delete(listener);
		};
	}

	emit(value: T): void {
		for (const listener of [...this.listeners]) {
			try {
				listener(value);
			} catch (error) {
				console.error("Vault Bridge:", error);
			}
		}
	}
}

/** One function that calls several. */
export function together(...ends: readonly (() => void)[]): () => void {
	return () => { for (const end of ends) end(); };
}

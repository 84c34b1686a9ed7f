/** Says on the console what went wrong where nobody waits for it. */
export function warn(error: unknown): undefined {
	console.warn("Vault Bridge:", error);
	return undefined;
}

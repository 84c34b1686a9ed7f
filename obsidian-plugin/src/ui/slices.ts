/** Work done in slices, so that the window stays alive while thousands of lines are drawn. */

const SLICE_MS = 8;

/**
 * Take steps until `steps` has none left: at once for the first slice, then one slice a turn of the event loop.
 *
 * @returns A function that ends it early.
 */
export function inSlices(steps: Iterator<unknown>): () => void {
	let cancelled = false;
	const slice = (): void => {
		const end = performance.now() + SLICE_MS;
		while (!cancelled && performance.now() < end) {
			if (steps.next().done) return;
		}
		if (!cancelled) window.setTimeout(slice);
	};
	slice();
	return () => {
		cancelled = true;
	};
}

/** Keeps the Tab key inside an element. Returns the function that ends it. */
export function trapFocus(el: HTMLElement): () => void {
	const keep = (event: KeyboardEvent): void => {
		if (event.key !== "Tab") return;
		const stops = el.findAll("button, input, select, textarea, summary, a[href], [tabindex='0']").filter((stop) => stop.isShown());
		const edge = event.shiftKey ? stops[0] : stops.at(-1);
		if (edge?.isActiveElement() || !el.contains(el.doc.activeElement)) {
			event.preventDefault();
			(event.shiftKey ? stops.at(-1) : stops[0])?.focus();
		}
	};
	el.addEventListener("keydown", keep);
	return () => {
		el.removeEventListener("keydown", keep);
	};
}

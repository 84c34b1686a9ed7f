/** A button that does something. */
export function addButton(el: HTMLElement, text: string, action: () => void, cls = ""): HTMLButtonElement {
	const button = el.createEl("button", { cls, text, type: "button" });
	button.addEventListener("click", action);
	return button;
}

/** Buttons that do something, and the bar of them below a window. */
export function addButton(el: HTMLElement, text: string, action: () => void, cls = ""): HTMLButtonElement {
	const button = el.createEl("button", { cls, text, type: "button" });
	button.addEventListener("click", action);
	return button;
}

export function addBar(el: HTMLElement): HTMLElement {
	return el.createDiv({ cls: "modal-button-container" });
}

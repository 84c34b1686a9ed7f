/**
 * A text area for code: Tab indents, as editors do, until Ctrl+M gives the key back to moving on. Shift+Tab always goes
 * back. What is told beside it says so.
 */
export function codeArea(area: HTMLTextAreaElement): void {
	let indents = true;
	area.addClass("vault-bridge-code");
	area.setAttrs({ wrap: "off", autocapitalize: "off", autocomplete: "off" });
	area.addEventListener("keydown", (event) => {
		if (event.isComposing) return;
		if (event.ctrlKey && event.key.toLowerCase() === "m") indents = !indents;
		else if (event.key === "Tab" && indents && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) area.setRangeText("\t", area.selectionStart, area.selectionEnd, "end");
		else return;
		event.preventDefault();
	});
}

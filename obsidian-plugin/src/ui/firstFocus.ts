/**
 * Gives a control the focus when its modal opens: now, and once more when Obsidian has given it to the first control it
 * found, which it does after `onOpen`. Put the harmless control first as well, for the moment between the two.
 */
export function focusAtOpening(el: HTMLElement): void {
	el.focus();
	el.win.setTimeout(() => {
		el.focus();
	});
}

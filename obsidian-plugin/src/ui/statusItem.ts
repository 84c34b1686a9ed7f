/** An item of the status bar that a person can press. */

import { setIcon, type Component, type Plugin } from "obsidian";

/** @param press - Called with the event of the mouse or of a key. */
export function addStatusItem(plugin: Plugin, owner: Component, cls: string, press: (event: MouseEvent | KeyboardEvent) => void): HTMLElement {
	const el = plugin.addStatusBarItem();
	el.addClasses(["mod-clickable", cls]);
	el.setAttrs({ role: "button", tabindex: "0" });
	owner.registerDomEvent(el, "click", press);
	owner.registerDomEvent(el, "keydown", (event) => {
		if (event.key !== "Enter" && event.key !== " ") return;
		event.preventDefault();
		press(event);
	});
	return el;
}

/** Draw what it says; nothing to say: it is not there. */
export function drawStatusItem(el: HTMLElement, face: { icon: string; text: string; label: string } | null): void {
	el.toggle(face !== null);
	el.empty();
	if (face === null) return;
	setIcon(el.createSpan({ cls: "status-bar-item-icon" }), face.icon);
	el.createSpan({ cls: "status-bar-item-segment", text: face.text });
	el.setAttrs({ "aria-label": face.label, "data-tooltip-position": "top" });
}

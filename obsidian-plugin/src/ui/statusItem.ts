/** An item of the status bar that a person can press. */

import { setIcon, type Component, type Plugin } from "obsidian";

/** Where a menu opens. */
export interface Place {
	x: number;
	y: number;
}

/** @param press - Called with where it was pressed; or where the item is, when a key did it. */
export function addStatusItem(plugin: Plugin, owner: Component, cls: string, press: (place: Place) => void): HTMLElement {
	const el = plugin.addStatusBarItem();
	el.addClasses(["mod-clickable", "vault-bridge-status-item", cls]);
	el.setAttrs({ role: "button", tabindex: "0" });
	owner.registerDomEvent(el, "click", press);
	owner.registerDomEvent(el, "keydown", (event) => {
		if (event.key !== "Enter" && event.key !== " ") return;
		event.preventDefault();
		press(el.getBoundingClientRect());
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

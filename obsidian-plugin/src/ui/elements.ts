/** What everything is drawn with: buttons, texts, what opens, labels. Text from outside comes on the screen as text nodes, with what cannot be seen made visible. */

import { setIcon } from "obsidian";
import { RISK_LABELS } from "../core/consent/wording";
import { sanitize } from "../core/text";
import type { RiskLevel } from "../core/wire/contract";

export function addButton(el: HTMLElement, text: string, action: () => void, cls = ""): HTMLButtonElement {
	const button = el.createEl("button", { cls, text, type: "button" });
	button.addEventListener("click", action);
	return button;
}

/** One with an icon alone: its name is heard, and not read. */
export function addIconButton(el: HTMLElement, icon: string, name: string, action: () => void): HTMLButtonElement {
	const button = addButton(el, "", action, "clickable-icon");
	button.setAttr("aria-label", name);
	setIcon(button, icon);
	return button;
}

/** Characters that are shown before a person asks for more: a line of a megabyte would freeze the window. */
const FIRST = 2_000;
const MORE = 20_000;

export function showText(el: HTMLElement, text: string): void {
	for (const piece of sanitize(text)) {
		if (piece.hidden === null) el.appendText(piece.text);
		else el.createSpan({ cls: "vault-bridge-escape", text: piece.text, title: piece.hidden });
	}
}

/** Append the beginning of `text`; the rest comes at the press of a button that says how much there is. */
export function showLongText(el: HTMLElement, text: string, most = FIRST): void {
	const first = cut(text, most);
	showText(el, text.slice(0, first));
	if (first < text.length) offerMore(el, text, first);
}

function offerMore(el: HTMLElement, text: string, from: number): void {
	const label = `Show ${Math.min(MORE, text.length - from).toLocaleString()} of ${(text.length - from).toLocaleString()} more characters`;
	const button = addButton(el, label, () => {
		const to = cut(text, from + MORE);
		const rest = el.createSpan();
		showText(rest, text.slice(from, to));
		button.replaceWith(rest);
		if (to < text.length) offerMore(el, text, to);
	}, "vault-bridge-more");
}

/** Where to cut so that no character is torn in two. */
function cut(text: string, at: number): number {
	const code = text.charCodeAt(at - 1);
	return at < text.length && code >= 0xd800 && code <= 0xdbff ? at - 1 : Math.min(at, text.length);
}

/** Add lines as they are, which can be scrolled with the keyboard too. */
export function addLines(el: HTMLElement, text: string, label: string): void {
	showLongText(el.createEl("pre", { cls: "vault-bridge-request", attr: { tabindex: "0", role: "group", "aria-label": label } }), text);
}

/** Add what a person should mind. */
export function addWarning(el: HTMLElement, text: string): void {
	showLongText(el.createDiv({ cls: "vault-bridge-note is-warning" }), text);
}

/** Add what went wrong, for those too who hear the window. */
export function addProblem(el: HTMLElement, text: string): void {
	showText(el.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } }), text);
}

/** Add what stands where there is nothing to list. */
export function addEmpty(el: HTMLElement, text: string): void {
	showText(el.createDiv({ cls: "vault-bridge-empty" }), text);
}

export function addDetails(el: HTMLElement, title: string, cls = "vault-bridge-details"): HTMLDetailsElement {
	const details = el.createEl("details", { cls });
	details.createEl("summary", { text: title });
	return details;
}

/** Draw what is in it once: now where it is open, else when it is opened first. Returns what looks whether it is time. */
export function whenOpened(details: HTMLDetailsElement, draw: () => void): () => void {
	let drawn = false;
	const look = (): void => {
		if (drawn || !details.open) return;
		drawn = true;
		draw();
	};
	look();
	details.addEventListener("toggle", look);
	return look;
}

export function badge(container: HTMLElement, tone: string, text: string): HTMLElement {
	return container.createSpan({ cls: `vault-bridge-badge ${tone}`, text });
}

export function riskBadge(container: HTMLElement, risk: RiskLevel): HTMLElement {
	return badge(container, `is-${risk}`, RISK_LABELS[risk]);
}

/** `ok` is green, denials and failures are red, the rest is grey. */
const NEITHER = ["undone", "ask", "started", "stopped", "revoked", "rotation", "retention", "cleared"];

export function outcomeBadge(container: HTMLElement, outcome: string): HTMLElement {
	const good = outcome === "ok" || outcome === "applied" || outcome.startsWith("allow");
	const bad = outcome !== "" && !good && !NEITHER.includes(outcome);
	const tone = good ? "is-safe" : bad ? "is-high" : "is-none";
	return badge(container, tone, outcome.replace(/_/g, " "));
}

export function showTime(container: HTMLElement, iso: string): void {
	const date = new Date(iso);
	const el = container.createSpan({ cls: "vault-bridge-when" });
	if (Number.isNaN(date.getTime())) {
		el.setText(iso.slice(0, 40));
		return;
	}
	el.setText(date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" }));
	el.title = date.toLocaleString();
}

/** Wait until nothing in an element is being pressed: a control that is drawn anew meanwhile loses the press. */
export async function released(el: HTMLElement): Promise<void> {
	while (el.matches(":active")) await new Promise((resolve) => el.win.requestAnimationFrame(resolve));
}

/** Returns what gives the focus back to what has it now, as far as that is there again when all was drawn anew. */
export function keepFocus(el: HTMLElement): () => void {
	const { activeElement } = el.doc;
	if (!activeElement || !el.contains(activeElement)) return () => undefined;
	const rowOf = (control: Element): string | undefined => control.closest("[data-change]")?.getAttribute("data-change") ?? undefined;
	const nameOf = (control: Element): string => control.getAttribute("aria-label") ?? control.textContent;
	const [row, name] = [rowOf(activeElement), nameOf(activeElement)];
	const controls = (): HTMLElement[] => el.findAll("button, input, select, summary");
	const near = (): HTMLElement[] => controls().filter((one) => rowOf(one) === row);
	const same = (): HTMLElement[] => near().filter((one) => nameOf(one) === name);
	const place = same().findIndex((one) => one === activeElement);
	return () => {
		if (activeElement.isConnected) return;
		const now = same();
		(now[place] ?? now.at(-1) ?? near()[0] ?? controls()[0])?.focus();
	};
}

/** The helpers that Obsidian puts on the DOM's own prototypes. */

/** What `instanceOf` says: true also for a thing that another window has made. */
function isA(value: object, type: new () => unknown): boolean {
	const parent = Reflect.getPrototypeOf(value);
	return parent !== null && (parent.constructor.name === type.name || isA(parent, type));
}

const SVG = "http://www.w3.org/2000/svg";

type Options = DomElementInfo | string | undefined;

function make(tag: string, options: Options, callback?: (el: HTMLElement) => void): HTMLElement {
	const el = activeDocument.createElementNS("http://www.w3.org/1999/xhtml", tag);
	const info = typeof options === "string" ? { cls: options } : (options ?? {});
	if (info.cls !== undefined) el.className = Array.isArray(info.cls) ? info.cls.join(" ") : info.cls;
	if (info.text !== undefined) el.append(info.text);
	for (const [name, value] of Object.entries(info.attr ?? {})) el.setAttr(name, value);
	if (info.title !== undefined) el.title = info.title;
	for (const name of ["value", "type", "placeholder", "href"] as const) {
		const given = info[name];
		if (given !== undefined) el.setAttribute(name, given);
	}
	if (info.parent) info.parent.appendChild(el);
	callback?.(el);
	return el;
}

function makeIn(parent: Node, tag: string, options: Options, callback?: (el: HTMLElement) => void): HTMLElement {
	const el = make(tag, options);
	if (typeof options === "object" && options.prepend) parent.insertBefore(el, parent.firstChild);
	else parent.appendChild(el);
	callback?.(el);
	return el;
}

const nodeHelpers = {
	createEl(this: Node, tag: string, options?: Options, callback?: (el: HTMLElement) => void) {
		return makeIn(this, tag, options, callback);
	},
	createDiv(this: Node, options?: Options, callback?: (el: HTMLElement) => void) {
		return makeIn(this, "div", options, callback);
	},
	createSpan(this: Node, options?: Options, callback?: (el: HTMLElement) => void) {
		return makeIn(this, "span", options, callback);
	},
	createSvg(this: Node, tag: string, options?: { cls?: string; attr?: Record<string, string | number> }) {
		const el = this.doc.createElementNS(SVG, tag);
		if (options?.cls !== undefined) el.setAttribute("class", options.cls);
		for (const [name, value] of Object.entries(options?.attr ?? {})) el.setAttribute(name, String(value));
		this.appendChild(el);
		return el;
	},
	empty(this: Node) {
		while (this.firstChild) this.removeChild(this.firstChild);
	},
	detach(this: Node) {
		this.parentNode?.removeChild(this);
	},
	appendText(this: Node, text: string) {
		this.appendChild(this.doc.createTextNode(text));
	},
	instanceOf(this: Node, type: new () => Node) {
		return isA(this, type);
	},
};

const elementHelpers = {
	setText(this: Element, text: string | DocumentFragment) {
		this.replaceChildren(text);
	},
	getText(this: Element) {
		return this.textContent;
	},
	addClass(this: Element, ...names: string[]) {
		this.classList.add(...names);
	},
	addClasses(this: Element, names: string[]) {
		this.classList.add(...names);
	},
	removeClass(this: Element, ...names: string[]) {
		this.classList.remove(...names);
	},
	removeClasses(this: Element, names: string[]) {
		this.classList.remove(...names);
	},
	hasClass(this: Element, name: string) {
		return this.classList.contains(name);
	},
	toggleClass(this: Element, names: string | string[], on: boolean) {
		for (const name of [names].flat()) this.classList.toggle(name, on);
	},
	setAttr(this: Element, name: string, value: string | number | boolean | null) {
		if (value === null) this.removeAttribute(name);
		else this.setAttribute(name, String(value));
	},
	setAttrs(this: Element, values: Record<string, string | number | boolean | null>) {
		for (const [name, value] of Object.entries(values)) this.setAttr(name, value);
	},
	getAttr(this: Element, name: string) {
		return this.getAttribute(name);
	},
	isActiveElement(this: Element) {
		return this.doc.activeElement === this;
	},
	find(this: Element, selector: string) {
		return this.querySelector(selector);
	},
	findAll(this: Element, selector: string) {
		return Array.from(this.querySelectorAll(selector));
	},
	show(this: HTMLElement) {
		this.style.removeProperty("display");
	},
	hide(this: HTMLElement) {
		this.setCssProps({ display: "none" });
	},
	toggle(this: HTMLElement, on: boolean) {
		if (on) this.show();
		else this.hide();
	},
	isShown(this: HTMLElement) {
		return this.offsetParent !== null;
	},
	setCssProps(this: HTMLElement, properties: Record<string, string>) {
		for (const [name, value] of Object.entries(properties)) this.style.setProperty(name, value);
	},
};

/** A window with what every window has of its own. */
export type HostWindow = Window & Pick<typeof window, "Node" | "Element" | "UIEvent">;

/** Puts the helpers in place: every window has its own prototypes and globals. */
export function installDomHelpers(win: HostWindow): void {
	Object.assign(win.Node.prototype, nodeHelpers);
	Object.assign(win.Element.prototype, elementHelpers);
	Object.defineProperty(win.Node.prototype, "doc", { get(this: Node) { return this.ownerDocument ?? this; } });
	Object.defineProperty(win.Node.prototype, "win", { get(this: Node) { return (this.ownerDocument ?? (this as Document)).defaultView ?? window; } });
	Object.defineProperty(win.UIEvent.prototype, "targetNode", {
		get(this: UIEvent) {
			return this.target !== null && isA(this.target, Node) ? this.target : null;
		},
	});
	Object.assign(win.UIEvent.prototype, {
		instanceOf(this: UIEvent, type: new () => unknown) {
			return isA(this, type);
		},
	});
	Object.assign(win, {
		createEl: make,
		createDiv: (options?: Options) => make("div", options),
		createSpan: (options?: Options) => make("span", options),
		createFragment: () => new DocumentFragment(),
	});
	win.addEventListener("pointerdown", () => { setActiveWindow(win); }, { capture: true });
	setActiveWindow(win);
}

/** What `activeWindow` and `activeDocument` are, from everywhere: the window that the person works in. */
export function setActiveWindow(win: Window): void {
	Object.assign(window, { activeWindow: win, activeDocument: win.document });
}

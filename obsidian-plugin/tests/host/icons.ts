/** Lucide's icons, as Obsidian has them. The page carries the ones there are as SVG text. */

declare global {
	interface Window {
		hostIcons: Record<string, string>;
	}
}

export function setIcon(el: HTMLElement, name: string): void {
	el.empty();
	const text = window.hostIcons[name];
	if (text === undefined) return;
	const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
	svg.setAttribute("class", `svg-icon lucide-${name}`);
	el.append(svg);
}

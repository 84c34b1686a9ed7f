/** Hands a file to the person, who says where it goes. The link belongs to no window, so it works from each of them. */
export function saveFile(name: string, content: string, type: string): void {
	const url = URL.createObjectURL(new Blob([content], { type }));
	createEl("a", { href: url, attr: { download: name } }).click();
	window.setTimeout(() => {
		URL.revokeObjectURL(url);
	}, 10_000);
}

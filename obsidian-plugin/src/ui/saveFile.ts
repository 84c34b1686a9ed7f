/** Hands a file to the person, who says where it goes. */
export function saveFile(name: string, content: string, type: string): void {
	const url = URL.createObjectURL(new Blob([content], { type }));
	const link = activeDocument.body.createEl("a", { href: url, attr: { download: name } });
	link.click();
	link.remove();
	window.setTimeout(() => {
		URL.revokeObjectURL(url);
	}, 10_000);
}

/** Opens the system's dialog for one file. It belongs to no window of ours, so it works from each of them. */
export function chooseFile(chosen: (file: File) => void): void {
	const input = createEl("input", { type: "file" });
	input.addEventListener("change", () => {
		const file = input.files?.[0];
		if (file) chosen(file);
	});
	input.click();
}

/** Where a file lies that the person chooses. Only Electron knows. */

import { webUtils } from "electron";

/** Opens the system's dialog for one file. It belongs to no window of ours, so it works from each of them. */
export function chooseFile(chosen: (path: string) => void): void {
	const input = createEl("input", { type: "file" });
	input.addEventListener("change", () => {
		const file = input.files?.[0];
		if (file) chosen(webUtils.getPathForFile(file));
	});
	input.click();
}

/** Where a file lies that the person chose in the system's own dialog. Only Electron knows. */

import { webUtils } from "electron";

export function pathOf(file: File): string {
	return webUtils.getPathForFile(file);
}

/** The one thing of Electron that the plugin uses: Obsidian's typings leave it out. */
declare module "electron" {
	export const webUtils: {
		/** Where a file lies that the person has chosen. */
		getPathForFile: (file: File) => string;
	};
}

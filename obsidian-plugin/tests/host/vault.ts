/** The vault: real files, read and written by the test process on the page's behalf. */

/** What the test process does for the page. */
export interface HostDisk {
	exists: (path: string) => Promise<boolean>;
	read: (path: string) => Promise<string>;
	write: (path: string, text: string) => Promise<void>;
	trash: (path: string) => Promise<void>;
	files: () => Promise<HostFile[]>;
}

export interface HostFile {
	path: string;
	stat: { mtime: number; size: number };
}

export class TAbstractFile {
	constructor(readonly path: string) {}
}

export class TFile extends TAbstractFile {
	constructor(
		path: string,
		readonly stat: HostFile["stat"],
	) {
		super(path);
	}
}

export class FileSystemAdapter {
	constructor(
		readonly disk: HostDisk,
		private readonly basePath: string,
	) {}

	getBasePath(): string {
		return this.basePath;
	}

	async exists(path: string): Promise<boolean> {
		return this.disk.exists(path);
	}

	async read(path: string): Promise<string> {
		return this.disk.read(path);
	}
}

export class Vault {
	private files = new Map<string, TFile>();

	constructor(readonly adapter: FileSystemAdapter) {}

	async refresh(): Promise<void> {
		this.files = new Map((await this.adapter.disk.files()).map(({ path, stat }) => [path, new TFile(path, stat)]));
	}

	getMarkdownFiles(): TFile[] {
		return [...this.files.values()];
	}

	getName(): string {
		return this.adapter.getBasePath().split("/").at(-1) ?? "";
	}

	getFileByPath(path: string): TFile | null {
		return this.files.get(path) ?? null;
	}

	getAbstractFileByPath(path: string): TAbstractFile | null {
		return this.getFileByPath(path);
	}

	async read(file: TFile): Promise<string> {
		return this.adapter.read(file.path);
	}

	async readBinary(file: TFile): Promise<ArrayBuffer> {
		return new TextEncoder().encode(await this.adapter.read(file.path)).buffer;
	}

	async process(file: TFile, change: (text: string) => string): Promise<string> {
		const before = await this.read(file);
		const after = change(before);
		if (after !== before) await this.adapter.disk.write(file.path, after);
		return after;
	}
}

export class FileManager {
	constructor(private readonly vault: Vault) {}

	async trashFile(file: TAbstractFile): Promise<void> {
		await this.vault.adapter.disk.trash(file.path);
		await this.vault.refresh();
	}
}

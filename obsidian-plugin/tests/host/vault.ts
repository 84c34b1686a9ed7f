/** The vault: real files and folders, read and written by the test process on the page's behalf. */

import { Events } from "./events";

/** What the test process does for the page. */
export interface HostDisk {
	exists: (path: string) => Promise<boolean>;
	readBinary: (path: string) => Promise<ArrayBuffer>;
	write: (path: string, text: string) => Promise<void>;
	writeBinary: (path: string, bytes: ArrayBuffer) => Promise<void>;
	remove: (path: string) => Promise<void>;
	rename: (path: string, to: string) => Promise<void>;
	trash: (path: string) => Promise<void>;
	/** Everything in the vault but what begins with a dot. */
	entries: () => Promise<HostEntry[]>;
}

/** A file with what is known of it, or a folder, which has no `stat`. */
export interface HostEntry {
	path: string;
	stat: { mtime: number; size: number } | null;
}

/** Slashes of one kind, one at a time, none at the ends; plain spaces; composed letters. The root is "/". */
export function normalizePath(path: string): string {
	const plain = path.replace(/[\u00a0\u202f]/g, " ").replace(/[\\/]+/g, "/").replace(/^\/+|\/+$/g, "").normalize("NFC");
	return plain === "" ? "/" : plain;
}

export abstract class TAbstractFile {
	readonly name: string;

	constructor(
		readonly vault: Vault,
		readonly path: string,
	) {
		this.name = path.split("/").at(-1) ?? "";
	}

	get parent(): TFolder | null {
		return this.path === "/" ? null : this.vault.getFolderByPath(this.path.split("/").slice(0, -1).join("/") || "/");
	}
}

export class TFile extends TAbstractFile {
	readonly extension: string;
	readonly basename: string;

	constructor(
		vault: Vault,
		path: string,
		readonly stat: { mtime: number; size: number },
	) {
		super(vault, path);
		const dot = this.name.lastIndexOf(".");
		this.extension = dot < 1 ? "" : this.name.slice(dot + 1);
		this.basename = dot < 1 ? this.name : this.name.slice(0, dot);
	}
}

export class TFolder extends TAbstractFile {
	get children(): TAbstractFile[] {
		return this.vault.getAllLoadedFiles().filter((file) => file.parent === this);
	}

	isRoot(): boolean {
		return this.path === "/";
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
		return this.disk.exists(normalizePath(path));
	}

	async readBinary(path: string): Promise<ArrayBuffer> {
		return this.disk.readBinary(normalizePath(path));
	}

	/** Without the byte order mark, which Obsidian does not show to anybody. */
	async read(path: string): Promise<string> {
		return new TextDecoder().decode(await this.readBinary(path));
	}

	async write(path: string, data: string): Promise<void> {
		await this.disk.write(normalizePath(path), data);
	}

	async writeBinary(path: string, data: ArrayBuffer): Promise<void> {
		await this.disk.writeBinary(normalizePath(path), data);
	}

	async append(path: string, data: string): Promise<void> {
		await this.disk.write(normalizePath(path), (await this.read(path)) + data);
	}

	async process(path: string, change: (text: string) => string): Promise<string> {
		if (!(await this.exists(path))) throw new Error(`ENOENT: no such file, '${path}'`);
		const text = change(await this.read(path));
		await this.disk.write(normalizePath(path), text);
		return text;
	}

	async remove(path: string): Promise<void> {
		await this.disk.remove(normalizePath(path));
	}

	async rename(path: string, to: string): Promise<void> {
		await this.disk.rename(normalizePath(path), normalizePath(to));
	}

	async trashLocal(path: string): Promise<void> {
		await this.disk.trash(normalizePath(path));
	}
}

export class Vault extends Events {
	private files = new Map<string, TAbstractFile>();
	/** The last change of each file: the next one waits for it. */
	private readonly busy = new Map<string, Promise<unknown>>();

	constructor(readonly adapter: FileSystemAdapter) {
		super();
	}

	async refresh(): Promise<void> {
		const entries = await this.adapter.disk.entries();
		this.files = new Map([["/", new TFolder(this, "/")], ...entries.map(({ path, stat }): [string, TAbstractFile] => [path, stat ? new TFile(this, path, stat) : new TFolder(this, path)])]);
	}

	getAllLoadedFiles(): TAbstractFile[] {
		return [...this.files.values()];
	}

	getRoot(): TFolder {
		const root = this.files.get("/");
		if (!(root instanceof TFolder)) throw new Error("a vault has a root");
		return root;
	}

	getFiles(): TFile[] {
		return this.getAllLoadedFiles().filter((file) => file instanceof TFile);
	}

	getMarkdownFiles(): TFile[] {
		return this.getFiles().filter((file) => file.extension === "md");
	}

	getName(): string {
		return this.adapter.getBasePath().split("/").at(-1) ?? "";
	}

	getFileByPath(path: string): TFile | null {
		const file = this.files.get(path);
		return file instanceof TFile ? file : null;
	}

	getFolderByPath(path: string): TFolder | null {
		const file = this.files.get(path);
		return file instanceof TFolder ? file : null;
	}

	getAbstractFileByPath(path: string): TAbstractFile | null {
		return this.files.get(path) ?? null;
	}

	async read(file: TFile): Promise<string> {
		return this.adapter.read(file.path);
	}

	async readBinary(file: TFile): Promise<ArrayBuffer> {
		return this.adapter.readBinary(file.path);
	}

	/** Read, change and write as one step: two changes of one file never overlap. A file that is gone is an error. */
	async process(file: TFile, change: (text: string) => string): Promise<string> {
		const before = this.busy.get(file.path) ?? Promise.resolve();
		const step = before.then(
			async () => this.adapter.process(file.path, change),
			async () => this.adapter.process(file.path, change),
		);
		this.busy.set(file.path, step);
		void step.then(() => { this.trigger("modify", file); }, () => undefined);
		return step;
	}

	async modify(file: TFile, data: string): Promise<void> {
		await this.adapter.write(file.path, data);
		this.trigger("modify", file);
	}
}

export class FileManager {
	constructor(private readonly vault: Vault) {}

	async trashFile(file: TAbstractFile): Promise<void> {
		await this.vault.adapter.trashLocal(file.path);
		await this.vault.refresh();
	}

	async renameFile(file: TAbstractFile, to: string): Promise<void> {
		await this.vault.adapter.rename(file.path, to);
		await this.vault.refresh();
		this.vault.trigger("rename", this.vault.getAbstractFileByPath(to), file.path);
	}
}

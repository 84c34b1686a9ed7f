/** Asking the bridge. */

import { boolean, dictionary, either, list, number, object, oneOf, optional, readable, record, string, time, unknown, type Members, type Reader } from "../json";
import { METHOD_NOT_FOUND, RpcError } from "../rpc/client";
import type { Methods } from "./contract";
import { ANSWERS, SHAPES, type Models } from "./shapes";

export type MethodName = keyof Methods;
export type MethodParams<M extends MethodName> = Methods[M]["params"];

/** Calls a method of the bridge with the parameters that it takes. What comes back has yet to be read. */
export type Request = <M extends MethodName>(method: M, params?: MethodParams<M>) => Promise<unknown>;

const PLAIN: Readonly<Record<string, Reader<unknown>>> = { s: string, n: number, b: boolean, t: time, a: unknown, o: object };

/** The readers of some shapes, each made when it is needed first. */
export class Shapes {
	private readonly lines: ReadonlyMap<string, string>;
	private readonly made = new Map<string, Reader<unknown>>();

	/** @param text - A line for each model. */
	constructor(text: string) {
		this.lines = new Map(text.trim().split("\n").map((line) => {
			const name = /^\w*/.exec(line)?.[0] ?? "";
			return [name, line.slice(name.length + 1)];
		}));
	}

	of(kind: string): Reader<unknown> {
		const known = this.made.get(kind);
		if (known) return known;
		const line = this.lines.get(kind);
		const made = line === undefined || line.startsWith("<") ? new Kind(line ?? kind, this).whole() : record(this.membersOf(line));
		this.made.set(kind, made);
		return made;
	}

	members(model: string): Members<Record<string, unknown>> {
		return this.membersOf(this.lines.get(model) ?? "");
	}

	has(name: string): boolean {
		return this.lines.has(name);
	}

	private membersOf(line: string): Members<Record<string, unknown>> {
		return Object.fromEntries(line.split(" ").filter((member) => member !== "").flatMap((member) => {
			const at = member.indexOf(":");
			return at < 0 ? Object.entries(this.members(member)) : [[member.slice(0, at), new Kind(member.slice(at + 1), this).whole()]];
		}));
	}
}

/** One kind, read from its beginning to its end. */
class Kind {
	private at = 0;

	constructor(
		private readonly text: string,
		private readonly shapes: Shapes,
	) {}

	/** A kind with what stands in for it where it is missing. */
	whole(): Reader<unknown> {
		const reader = this.one();
		if (this.at === this.text.length) return reader;
		if (!this.takes("=")) throw this.fault();
		const fallback: unknown = JSON.parse(this.text.slice(this.at));
		return optional(reader, fallback);
	}

	private one(): Reader<unknown> {
		let reader = this.bare();
		while (this.takes("?")) reader = optional(reader, null);
		return reader;
	}

	private bare(): Reader<unknown> {
		if (this.takes("[")) return this.until("]", list(this.one()));
		if (this.takes("~")) return readable(this.one());
		if (this.takes("{")) return this.until("}", dictionary(this.one()));
		if (this.takes("<")) return this.values();
		if (this.takes("(")) return this.choice();
		const name = /^[A-Z]\w*|^[a-z]?/.exec(this.text.slice(this.at))?.[0] ?? "";
		this.at += name.length;
		const found = PLAIN[name] ?? (this.shapes.has(name) ? this.shapes.of(name) : null);
		if (!found) throw this.fault();
		return found;
	}

	private values(): Reader<unknown> {
		const end = this.text.indexOf(">", this.at);
		const values = JSON.parse(`[${this.text.slice(this.at, end)}]`) as (string | number)[];
		this.at = end + 1;
		return oneOf(...values);
	}

	private choice(): Reader<unknown> {
		const readers = [this.one()];
		while (this.takes("|")) readers.push(this.one());
		return this.until(")", either(...readers));
	}

	private takes(sign: string): boolean {
		const found = this.text.charAt(this.at) === sign;
		if (found) this.at++;
		return found;
	}

	private until(sign: string, reader: Reader<unknown>): Reader<unknown> {
		if (!this.takes(sign)) throw this.fault();
		return reader;
	}

	private fault(): Error {
		return new Error(`There is no kind “${this.text}” of a member.`);
	}
}

const shapes = new Shapes(SHAPES);

export function reader<K extends keyof Models>(model: K): Reader<Models[K]> {
	return shapes.of(model) as Reader<Models[K]>;
}

/** A reader of some of a model's members: what a message must hold for those who need no more of it. */
export function partReader<K extends keyof Models, N extends keyof Models[K] & string>(model: K, ...names: readonly N[]): Reader<Pick<Models[K], N>> {
	const members = shapes.members(model);
	return record(Object.fromEntries(names.map((name) => [name, members[name]])) as Members<Pick<Models[K], N>>);
}

/** The methods whose answers can be read. */
export type Answered = keyof typeof ANSWERS;

/** Ask the bridge, and read what it answers. */
export async function ask<M extends Answered>(request: Request, method: M, params?: MethodParams<M>): Promise<Methods[M]["result"]> {
	return answerOf(method, await request(method, params));
}

/** The same; null where the bridge is of a version that does not know the method. */
export async function askIfKnown<M extends Answered>(request: Request, method: M, params?: MethodParams<M>): Promise<Methods[M]["result"] | null> {
	try {
		return await ask(request, method, params);
	} catch (error) {
		if (isUnknown(error)) return null;
		throw error;
	}
}

/** Whether something failed because the bridge is of a version that does not know the method. */
export function isUnknown(error: unknown): boolean {
	return error instanceof RpcError && error.code === METHOD_NOT_FOUND;
}

export function answerOf<M extends Answered>(method: M, value: unknown): Methods[M]["result"] {
	return (shapes.of(ANSWERS[method]) as Reader<Methods[M]["result"]>)(value, method);
}

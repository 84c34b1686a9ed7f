/** Makes readers of shapes in short: the lines that are generated from the bridge's models (`wire/readers.ts`). */

import { boolean, dictionary, either, list, number, object, oneOf, optional, readable, record, string, time, unknown, type Members, type Reader } from "./json";

/** A reader of objects, with the readers of its members for who needs only some of them. */
export type ModelReader<T> = Reader<T> & { readonly members: Members<T> };

const PLAIN: Readonly<Record<string, Reader<unknown>>> = { s: string, n: number, b: boolean, t: time, a: unknown, o: object };

/**
 * The reader of a model.
 *
 * @param shape - Its members, as `name:kind`; `scripts/lib/wire_readers.py` says which kinds there are.
 * @param parts - The readers of the models that it is made of.
 */
export function model<T extends object>(shape: string, ...parts: readonly Reader<unknown>[]): ModelReader<T> {
	const members = Object.fromEntries(
		shape.split(" ").filter((member) => member !== "").map((member) => {
			const at = member.indexOf(":");
			return [member.slice(0, at), new Kind(member.slice(at + 1), parts).whole()];
		}),
	) as Members<T>;
	return Object.assign(record(members), { members });
}

/** One kind, read from its beginning to its end. */
class Kind {
	private at = 0;

	constructor(
		private readonly text: string,
		private readonly parts: readonly Reader<unknown>[],
	) {}

	/** A kind with what stands in for it where it is missing. */
	whole(): Reader<unknown> {
		const reader = this.one();
		if (this.at === this.text.length) return reader;
		if (this.text.charAt(this.at) !== "=") throw this.fault();
		const fallback: unknown = JSON.parse(this.text.slice(this.at + 1));
		return optional(reader, fallback);
	}

	private one(): Reader<unknown> {
		let reader = this.bare();
		while (this.takes("?")) reader = optional(reader, null);
		return reader;
	}

	private bare(): Reader<unknown> {
		const plain = PLAIN[this.text.charAt(this.at)];
		if (plain) {
			this.at++;
			return plain;
		}
		if (this.takes("[")) return this.until("]", list(this.one()));
		if (this.takes("~")) return readable(this.one());
		if (this.takes("{")) return this.until("}", dictionary(this.one()));
		if (this.takes("<")) return this.values();
		if (this.takes("(")) return this.choice();
		return this.part();
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

	private part(): Reader<unknown> {
		const [digits = ""] = /^\d*/.exec(this.text.slice(this.at)) ?? [];
		const reader = digits === "" ? undefined : this.parts[Number(digits)];
		if (!reader) throw this.fault();
		this.at += digits.length;
		return reader;
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

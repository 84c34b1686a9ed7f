/** Reading values that come from outside: everything enters as `unknown` and leaves with a type, or not at all. */

/** Something that came from outside does not have the shape it should have. */
export class ShapeError extends Error {
	/**
	 * @param path - Where in the message, for example `preview.files.0.path`.
	 * @param wanted - What should have been there.
	 */
	constructor(path: string, wanted: string) {
		super(`${path || "the message"} should be ${wanted}`);
		this.name = "ShapeError";
	}
}

/** Turns an unknown value into a `T`, or throws a ShapeError that names the place. */
export type Reader<T> = (value: unknown, path: string) => T;

export type Members<T> = { [K in keyof T]: Reader<T[K]> };

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const unknown: Reader<unknown> = (value) => value;

export const object: Reader<JsonObject> = (value, path) => {
	if (!isObject(value)) throw new ShapeError(path, "an object");
	return value;
};

export const string: Reader<string> = (value, path) => {
	if (typeof value !== "string") throw new ShapeError(path, "a string");
	return value;
};

export const number: Reader<number> = (value, path) => {
	if (typeof value !== "number" || !Number.isFinite(value)) throw new ShapeError(path, "a number");
	return value;
};

export const boolean: Reader<boolean> = (value, path) => {
	if (typeof value !== "boolean") throw new ShapeError(path, "true or false");
	return value;
};

/** A moment: ISO 8601. */
export const time: Reader<string> = (value, path) => {
	const text = string(value, path);
	if (Number.isNaN(Date.parse(text))) throw new ShapeError(path, "a time");
	return text;
};

export function oneOf<const T extends string | number>(...allowed: readonly T[]): Reader<T> {
	return (value, path) => {
		const found = allowed.find((one) => one === value);
		if (found === undefined) throw new ShapeError(path, `one of ${allowed.join(", ")}`);
		return found;
	};
}

export function list<T>(item: Reader<T>): Reader<T[]> {
	return (value, path) => {
		if (!Array.isArray(value)) throw new ShapeError(path, "a list");
		return value.map((one: unknown, index) => item(one, `${path}.${index}`));
	};
}

/** A member that may be absent or null; then it is `fallback`. */
export function optional<T, F>(reader: Reader<T>, fallback: F): Reader<T | F> {
	return (value, path) => (value === undefined || value === null ? fallback : reader(value, path));
}

/** What the first of some readers can read. */
export function either<T extends readonly unknown[]>(...readers: { [K in keyof T]: Reader<T[K]> }): Reader<T[number]> {
	return (value, path) => {
		let failure = new ShapeError(path, "something else");
		for (const reader of readers) {
			try {
				return reader(value, path);
			} catch (error) {
				if (!(error instanceof ShapeError)) throw error;
				failure = error;
			}
		}
		throw failure;
	};
}

/** An object with these members. Members not named are left out: they cannot do anything. */
export function record<T extends object>(members: Members<T>): Reader<T> {
	const names = Object.keys(members) as (keyof T & string)[];
	return (value, path) => {
		const source = object(value, path);
		const read: Partial<T> = {};
		for (const name of names) read[name] = members[name](source[name], path ? `${path}.${name}` : name);
		return read as T;
	};
}

/** An object of any member names, all values of one shape. */
export function dictionary<T>(item: Reader<T>): Reader<Record<string, T>> {
	return (value, path) =>
		Object.fromEntries(Object.entries(object(value, path)).map(([name, one]) => [name, item(one, `${path}.${name}`)]));
}

/** The items of a list that can be read; broken ones are passed over, so that one bad entry does not hide the others. */
export function readable<T>(item: Reader<T>): Reader<T[]> {
	return (value, path) => {
		if (!Array.isArray(value)) throw new ShapeError(path, "a list");
		return value.flatMap((one: unknown, index) => {
			try {
				return [item(one, `${path}.${index}`)];
			} catch (error) {
				if (error instanceof ShapeError) return [];
				throw error;
			}
		});
	};
}

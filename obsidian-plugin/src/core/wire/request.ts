/** Asking the bridge. */

import type { Methods } from "./contract";

/** What a later bridge may offer. Where there is no such method, what needs it is not shown. */
interface LaterMethods {
	"keys.status": { params: Record<string, never> };
	"keys.set": { params: { provider: string; key: string } };
	"keys.test": { params: { provider: string } };
	"keys.clear": { params: { provider: string } };
	"cache.stats": { params: Record<string, never> };
	"cache.clear": { params: Record<string, never> };
}

type AllMethods = Methods & LaterMethods;

export type MethodName = keyof AllMethods;
export type MethodParams<M extends MethodName> = AllMethods[M]["params"];

/** Calls a method of the bridge with the parameters that it takes. What comes back has yet to be read. */
export type Request = <M extends MethodName>(method: M, params?: MethodParams<M>) => Promise<unknown>;

/** Asking the bridge. */

import type { Methods } from "./contract";

export type MethodName = keyof Methods;
export type MethodParams<M extends MethodName> = Methods[M]["params"];

/** Calls a method of the bridge with the parameters that it takes. What comes back has yet to be read. */
export type Request = <M extends MethodName>(method: M, params?: MethodParams<M>) => Promise<unknown>;

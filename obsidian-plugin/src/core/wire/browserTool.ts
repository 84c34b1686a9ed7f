/** What the bridge may ask of the plugin beside what is in `contract.ts`. */

import { number, object, optional, record, string, type JsonObject } from "../json";

export interface BrowserToolParams {
	code: string;
	parameters: JsonObject;
	/** Seconds. */
	timeout: number;
}

export const readBrowserToolParams = record<BrowserToolParams>({
	code: string,
	parameters: optional(object, {}),
	timeout: optional(number, 30),
});

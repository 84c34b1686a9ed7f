/** What the bridge says of the log as a whole. */

import { boolean, number, optional, record, string } from "../json";

/** Of `audit.verify`. */
export const readVerified = record({
	whole: boolean,
	records: optional(number, 0),
	lost: optional(number, 0),
	unverified: optional(number, 0),
	faultCount: optional(number, 0),
	faults: (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : []),
});

const readFault = record({ message: string });

export interface ChainStatus {
	whole: boolean;
	text: string;
}

/** The state of the log's chain in a sentence or two. */
export function chainStatus(answer: unknown): ChainStatus {
	const { whole, records, lost, unverified, faultCount, faults } = readVerified(answer, "audit.verify");
	const [first] = faults.map((fault, index) => readFault(fault, `faults.${index}`).message);
	const parts = whole
		? [`${records} lines, none changed or removed since they were written.`]
		: [`The log is not as it was written: ${faultCount} ${faultCount === 1 ? "fault" : "faults"}.`, first ?? ""];
	if (lost > 0) parts.push(`${lost} could not be written at the time.`);
	if (unverified > 0) parts.push(`${unverified} are older than the key and cannot be vouched for.`);
	return { whole, text: parts.filter((part) => part !== "").join(" ") };
}

/** Of `audit.export` without a path. */
export const readExport = record({ text: string, records: number, truncated: optional(boolean, false) });

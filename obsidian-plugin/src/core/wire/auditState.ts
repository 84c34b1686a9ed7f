/** What the bridge says of the log as a whole. */

import { list, optional, pick, record } from "../json";
import { readAuditFault, readAuditVerification } from "./readers";

const readVerified = record({
	...pick(readAuditVerification, "whole", "records", "lost", "unverified", "faultCount"),
	faults: optional(list(record(pick(readAuditFault, "message"))), []),
});

export interface ChainStatus {
	whole: boolean;
	text: string;
}

/** The state of the log's chain in a sentence or two. */
export function chainStatus(answer: unknown): ChainStatus {
	const { whole, records, lost, unverified, faultCount, faults } = readVerified(answer, "audit.verify");
	const parts = whole
		? [`${records} lines, none changed or removed since they were written.`]
		: [`The log is not as it was written: ${faultCount} ${faultCount === 1 ? "fault" : "faults"}.`, faults[0]?.message ?? ""];
	if (lost > 0) parts.push(`${lost} could not be written at the time.`);
	if (unverified > 0) parts.push(`${unverified} are older than the key and cannot be vouched for.`);
	return { whole, text: parts.filter((part) => part !== "").join(" ") };
}

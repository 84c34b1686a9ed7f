/** What the bridge says about itself. */

import { optional, pick, record } from "../json";
import type { SessionInfo as Wire } from "./contract";
import { readSessionInfo as readWhole } from "./readers";

export type SessionInfo = Pick<Wire, "vault" | "version" | "role" | "protocol">;

/** A bridge that does not say which version of the protocol it speaks speaks the first. */
export const readSessionInfo = record<SessionInfo>({ ...pick(readWhole, "vault", "version", "role"), protocol: optional(readWhole.members.protocol, 1) });

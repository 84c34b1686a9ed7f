/** What the bridge says about itself. */

import { optional, pick, record } from "../json";
import type { SessionInfo as Wire } from "./contract";
import { sessionInfo } from "./readers";

export type SessionInfo = Pick<Wire, "vault" | "version" | "role" | "protocol">;

/** A bridge that does not say which version of the protocol it speaks speaks the first. */
export const readSessionInfo = record<SessionInfo>({ ...pick(sessionInfo, "vault", "version", "role"), protocol: optional(sessionInfo.protocol, 1) });

/** Small coloured labels. Colour is never the only sign: the word says it too. */

import { RISK_LABELS } from "../core/consent/wording";
import type { RiskLevel } from "../core/wire/contract";

export function badge(container: HTMLElement, tone: string, text: string): HTMLElement {
	return container.createSpan({ cls: `vault-bridge-badge ${tone}`, text });
}

export function riskBadge(container: HTMLElement, risk: RiskLevel): HTMLElement {
	return badge(container, `is-${risk}`, RISK_LABELS[risk]);
}

/** `ok` is green, denials and failures are red, the rest is grey. */
const NEITHER = ["undone", "ask", "started", "stopped", "revoked", "rotation", "retention", "cleared"];

export function outcomeBadge(container: HTMLElement, outcome: string): HTMLElement {
	const good = outcome === "ok" || outcome === "applied" || outcome.startsWith("allow");
	const bad = outcome !== "" && !good && !NEITHER.includes(outcome);
	const tone = good ? "is-safe" : bad ? "is-high" : "is-none";
	return badge(container, tone, outcome.replace(/_/g, " "));
}

/** What a change does to links and properties, as short lines above the diff. */

import type { Fact } from "../../core/diff/facts";
import { showText } from "../text";

export function drawFacts(container: HTMLElement, facts: readonly Fact[]): void {
	if (facts.length === 0) return;
	const list = container.createEl("ul", { cls: "vault-bridge-facts" });
	for (const fact of facts) {
		const item = list.createEl("li");
		const say = (...parts: (string | { code: string })[]): void => {
			for (const part of parts) {
				if (typeof part === "string") item.appendText(part);
				else showText(item.createEl("code"), part.code || "(empty)");
			}
		};
		switch (fact.kind) {
			case "link-retargeted":
				say("Link now points to ", { code: fact.to }, " instead of ", { code: fact.from });
				break;
			case "link-added":
				say("New link to ", { code: fact.target });
				break;
			case "link-removed":
				say("Link to ", { code: fact.target }, " removed");
				break;
			case "property-set":
				say("Property ", { code: fact.name }, " set to ", { code: fact.value });
				break;
			case "property-changed":
				say("Property ", { code: fact.name }, " changed from ", { code: fact.from }, " to ", { code: fact.to });
				break;
			case "property-removed":
				say("Property ", { code: fact.name }, " removed, it was ", { code: fact.value });
		}
	}
}

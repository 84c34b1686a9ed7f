import { expect, it } from "vitest";
import { effectOf, type Effect, type Press, type Purpose } from "../../../src/core/consent/keys";

const press = (key: string, more: Partial<Press> = {}): Press => ({ key, repeat: false, mod: false, ...more });
const ready = { armed: true, engaged: true };

it.each<[string, Purpose, Press, Effect]>([
	["Enter on a yes", "allow", press("Enter"), "nothing"],
	["Ctrl+Enter on a yes for once", "allow", press("Enter", { mod: true }), "nothing"],
	["Space on a yes for once", "allow", press(" "), "browser"],
	["Space that is held down", "allow", press(" ", { repeat: true }), "nothing"],
	["Enter on a no", "deny", press("Enter"), "browser"],
	["Space on a no", "deny", press(" "), "browser"],
	["Enter on an answer for longer", "remember", press("Enter"), "nothing"],
	["Space on an answer for longer", "remember", press(" "), "nothing"],
	["Ctrl+Space on an answer for longer", "remember", press(" ", { mod: true }), "nothing"],
	["Ctrl+Enter on an answer for longer", "remember", press("Enter", { mod: true }), "press"],
	["Ctrl+Enter that is held down", "remember", press("Enter", { mod: true, repeat: true }), "nothing"],
	["Enter on a link", "other", press("Enter"), "browser"],
	["Tab anywhere", "allow", press("Tab"), "browser"],
])("%s", (_, purpose, key, effect) => {
	expect(effectOf(purpose, key, ready)).toBe(effect);
});

it.each([{ armed: false, engaged: true }, { armed: true, engaged: false }, { armed: false, engaged: false }])("no key answers with %o", (readiness) => {
	for (const purpose of ["allow", "deny", "remember"] as const) {
		for (const key of ["Enter", " "]) {
			for (const mod of [false, true]) expect(effectOf(purpose, press(key, { mod }), readiness)).toBe("nothing");
		}
	}
});

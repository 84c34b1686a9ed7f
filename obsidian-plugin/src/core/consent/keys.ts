/** What a key does on a button of a question. Keys are pressed without looking, so they do less than a pointer. */

/** What a button is for: an answer for once, an answer for longer, or something that answers nothing. */
export type Purpose = "allow" | "deny" | "remember" | "other";

export interface Press {
	key: string;
	/** Whether the key is being held down. */
	repeat: boolean;
	/** Whether Ctrl, or Cmd on a Mac, is held with it. */
	mod: boolean;
}

export interface Readiness {
	/** Whether the first moment, in which nothing counts, is over. */
	armed: boolean;
	/** Whether the person has used the pointer or the Tab key in the question: then they look at it. */
	engaged: boolean;
}

/** `press`: do it. `browser`: what the browser does with this key. `nothing`: the key is lost. */
export type Effect = "press" | "browser" | "nothing";

/** Enter never allows. Neither Enter nor Space gives an answer for longer: that takes Ctrl or Cmd with Enter. */
export function effectOf(purpose: Purpose, { key, repeat, mod }: Press, { armed, engaged }: Readiness): Effect {
	if (key !== "Enter" && key !== " ") return "browser";
	if (purpose === "other") return "browser";
	if (!armed || !engaged || repeat) return "nothing";
	if (purpose === "remember") return key === "Enter" && mod ? "press" : "nothing";
	return key === "Enter" && purpose === "allow" ? "nothing" : "browser";
}

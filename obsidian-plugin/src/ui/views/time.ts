/** When something was, for people: short in the list, whole in the tooltip. */

export function showTime(container: HTMLElement, iso: string): void {
	const date = new Date(iso);
	const el = container.createSpan({ cls: "vault-bridge-when" });
	if (Number.isNaN(date.getTime())) {
		el.setText(iso.slice(0, 40));
		return;
	}
	const today = new Date().toDateString() === date.toDateString();
	const time = date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
	el.setText(today ? time : `${date.toLocaleDateString(undefined, { month: "short", day: "numeric" })} ${time}`);
	el.title = date.toLocaleString();
}

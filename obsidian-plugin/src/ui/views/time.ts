/** When something was, for people: the time of day in a list under the day, all of it in the tooltip. */

export function showTime(container: HTMLElement, iso: string): void {
	const date = new Date(iso);
	const el = container.createSpan({ cls: "vault-bridge-when" });
	if (Number.isNaN(date.getTime())) {
		el.setText(iso.slice(0, 40));
		return;
	}
	el.setText(date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" }));
	el.title = date.toLocaleString();
}

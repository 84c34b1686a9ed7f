/** A notification of the system, as the app's own web view has it. Without a sound, and one at a time. */

const TAG = "vault-bridge-question";

/** @returns A function that takes it away. */
export function notify(title: string, body: string, clicked: () => void): () => void {
	if (typeof Notification === "undefined" || Notification.permission === "denied") return () => undefined;
	const notification = new Notification(title, { body, tag: TAG, silent: true });
	notification.onclick = () => {
		window.focus();
		notification.close();
		clicked();
	};
	return () => { notification.close(); };
}

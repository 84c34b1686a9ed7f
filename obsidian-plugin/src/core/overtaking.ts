/** Answers that events overtake: an answer may have been given before the event, and still come after it. */

export class Latest {
	private turn = 0;

	/** Something newer than every answer on its way has come. */
	overtake(): void {
		this.turn++;
	}

	/** Take an answer, which is newer than those on their way. Returns whether it was not overtaken itself. */
	async of<T>(answer: Promise<T>, take: (answer: T) => void): Promise<boolean> {
		const turn = ++this.turn;
		const result = await answer;
		const counts = turn === this.turn;
		if (counts) take(result);
		return counts;
	}
}

/** How much agents did, by day, client and tool: small plots, and the same numbers as tables. */

import { ButtonComponent, DropdownComponent } from "obsidian";
import { changesOf, PERIODS, PLOTS, sentences, shortDay, sum, tookText, totals, type PlotSpec } from "../../core/activity";
import { messageOf } from "../../core/settings/store";
import type { ActivityDay, AuditActivity } from "../../core/wire/contract";
import { ask } from "../../core/wire/reading";
import { addDetails, addEmpty, showText } from "../elements";
import { Pane, type Face } from "./pane";

/** Units of the plot's own: of a day, of the gap between two bars, and of the greatest bar. */
const DAY = 10;
const GAP = 2;
const HEIGHT = 60;

export const ACTIVITY: Face = { type: "vault-bridge-activity", title: "Agents' activity", icon: "chart-column", command: ["agents-activity", "Show agents' activity"] };

export class ActivityView extends Pane {
	private days = 7;
	private request = 0;

	protected override async fill(el: HTMLElement): Promise<void> {
		const bar = el.createDiv({ cls: "vault-bridge-toolbar" });
		const bodyEl = el.createDiv({ cls: "vault-bridge-activity" });
		const refresh = (): void => { void this.refresh(bodyEl); };
		const period = new DropdownComponent(bar).addOptions(PERIODS).setValue(String(this.days)).onChange((days) => {
			this.days = Number(days);
			refresh();
		});
		period.selectEl.setAttr("aria-label", "Time");
		const buttons = bar.createDiv({ cls: "vault-bridge-toolbar-buttons" });
		new ButtonComponent(buttons).setButtonText("Refresh").onClick(refresh);
		new ButtonComponent(buttons).setButtonText("View log").onClick(this.context.open.log);
		this.on(this.context.connection.changed, refresh);
		await this.refresh(bodyEl);
	}

	private async refresh(el: HTMLElement): Promise<void> {
		const request = ++this.request;
		const found = await ask(this.context.request, "audit.activity", { days: this.days }).catch(messageOf);
		if (request !== this.request) return;
		el.empty();
		if (typeof found === "string") addEmpty(el, found);
		else draw(el, found);
	}
}

function draw(el: HTMLElement, found: AuditActivity): void {
	if (found.clients.length === 0) {
		addEmpty(el, "No agent did anything in these days. Here you will see how many calls they made, how you answered, what they changed, and how long it took.");
		return;
	}
	for (const plot of PLOTS) drawPlot(el, plot, found.days);
	for (const sentence of sentences(found)) el.createEl("p", { cls: "vault-bridge-faint", text: sentence });
	const details = addDetails(el, "The numbers of each day", "");
	drawTable(details, "Each day", ["Day", ...PLOTS.flatMap(({ series }) => series.map(({ label }) => label))], found.days.map((day) => [day.day, ...PLOTS.flatMap(({ series }) => series.map(({ counts }) => sum(day, counts)))]));
	const clients = [...found.clients, ...(found.others ? [found.others] : [])];
	drawTable(el, "Programs", ["Program", "Calls", "Failed", "Refused", "Changes"], clients.map((one) => [one.name, one.calls, one.failed, one.refused, changesOf(one)]));
	drawTable(el, "Tools", ["Tool", "Calls", "Half took", "95% took"], found.tools.map((one) => [one.tool, one.calls, tookText(one.p50), tookText(one.p95)]));
	el.createEl("p", { cls: "vault-bridge-faint", text: `Counted from the log of this vault, on this computer. Days begin at midnight (${found.zone}). What a tool took is without the time that you were asked.` });
}

function drawPlot(el: HTMLElement, plot: PlotSpec, days: readonly ActivityDay[]): void {
	const { byDay, most, all } = totals(days, plot);
	const figure = el.createEl("figure");
	const caption = figure.createEl("figcaption");
	caption.createEl("strong", { text: `${plot.title}: ${all}` });
	if (plot.series.length > 1) {
		for (const { look, label, counts } of plot.series) {
			caption.createSpan({ cls: `vault-bridge-key is-${look}`, text: `${label} ${days.reduce((total, day) => total + sum(day, counts), 0)}` });
		}
	}
	if (all === 0) return;
	const busiest = days[byDay.indexOf(most)]?.day ?? "";
	const label = `${plot.title} by day: ${all} in all, at most ${most} on ${shortDay(busiest)}. The numbers of each day are in the table below.`;
	const svg = figure.createSvg("svg", { attr: { viewBox: `0 0 ${days.length * DAY} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label } });
	days.forEach((day, at) => {
		let bottom = HEIGHT;
		for (const { look, counts } of plot.series) {
			const height = (sum(day, counts) / most) * HEIGHT;
			if (height === 0) continue;
			bottom -= height;
			svg.createSvg("rect", { cls: `is-${look}`, attr: { x: at * DAY + GAP / 2, y: bottom, width: DAY - GAP, height } });
		}
	});
	const axis = figure.createDiv({ cls: "vault-bridge-axis" });
	for (const day of days.length > 1 ? [days[0], days.at(-1)] : days) axis.createSpan({ text: day ? shortDay(day.day) : "" });
}

function drawTable(el: HTMLElement, title: string, headings: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
	const table = el.createEl("table");
	table.createEl("caption", { text: title });
	const head = table.createEl("thead").createEl("tr");
	for (const heading of headings) head.createEl("th", { text: heading, attr: { scope: "col" } });
	const body = table.createEl("tbody");
	for (const [name, ...cells] of rows) {
		const row = body.createEl("tr");
		showText(row.createEl("th", { attr: { scope: "row" } }), String(name));
		for (const cell of cells) row.createEl("td", { text: String(cell) });
	}
}

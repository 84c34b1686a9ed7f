/** What is looked at in every state: its picture, light and dark, and whether everybody can read and use it. */

import { appendFileSync, mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { accessibilityFindings } from "./accessibility";
import { paleTexts } from "./contrast";
import { file } from "./files";

/** A picture takes longer than the rest of its test, and is for eyes only: `npm run screenshots` takes them. */
const PICTURES = process.env["npm_lifecycle_event"] === "screenshots";
/** More widths to look at, as `SCREENSHOT_WIDTHS=420,760`. */
const WIDTHS = (process.env["SCREENSHOT_WIDTHS"] ?? "").split(",").filter((width) => width !== "").map(Number);

/** One line for each text that is too pale in a theme, and for each thing that axe-core finds. */
export async function findings(page: Page, name: string): Promise<string[]> {
	const found: string[] = [];
	for (const theme of ["light", "dark"] as const) {
		await page.evaluate((dark) => {
			document.body.classList.toggle("theme-light", !dark);
			document.body.classList.toggle("theme-dark", dark);
		}, theme === "dark");
		found.push(...(await paleTexts(page)).map((text) => `${theme}: ${text}`));
		if (PICTURES) await takePictures(page, `${name}-${theme}`);
	}
	if (PICTURES) appendFileSync(file("screenshots/counts.tsv"), `${name}\t${(await counts(page)).join("\t")}\n`);
	return [...found, ...(await accessibilityFindings(page))]; // but for colours, it is the same in both
}

/** How many words a person is shown in the window in front, and how many controls. */
async function counts(page: Page): Promise<number[]> {
	return page.evaluate(() => {
		const front = [...document.querySelectorAll<HTMLElement>(".modal")].at(-1) ?? document.body;
		const controls = [...front.querySelectorAll("button, input, select, textarea, summary, a, .checkbox-container, .clickable-icon")];
		return [front.innerText.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length, controls.filter((one) => one.checkVisibility()).length];
	});
}

async function takePictures(page: Page, name: string): Promise<void> {
	mkdirSync(file("screenshots"), { recursive: true });
	const size = page.viewportSize();
	await page.screenshot({ path: file(`screenshots/${name}.png`) });
	for (const width of WIDTHS) {
		await page.setViewportSize({ width, height: 700 });
		await page.screenshot({ path: file(`screenshots/${name}-${width}.png`) });
	}
	if (size !== null && WIDTHS.length > 0) await page.setViewportSize(size);
}

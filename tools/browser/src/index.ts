import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

export type { Browser, Page } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** A container has no sandbox for root, no graphics card and little shared memory. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

let axe: string | undefined;

/**
 * Starts Chromium.
 *
 * @throws Error without a Chromium; the message contains the remedy
 */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `there is no browser at ${CHROMIUM}, and this test needs one: install Chromium (apt-get install chromium), or name it in the variable CHROMIUM`,
    );
  }
  return await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}

/** Runs axe for WCAG 2.2, levels A and AA, and returns each violated rule with the first violating element. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  axe ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Half a megabyte: sent once for each document.
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(axe);
  return (await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(RULES)} } }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 160)))`,
  )) as readonly string[];
}

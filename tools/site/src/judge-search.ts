/** Judges the search of the built site in a browser, by keyboard. */
import type { Browser, Page } from '@sallyport/browser';
import { SEARCHES } from './terms.js';

/** Terms of this project, each with a word from the address of a page that the search must find. */
const OWN: Readonly<Record<string, string>> = {
  posture: 'security',
  'partial batch': 'events',
  'rate limit': 'ratelimit',
  idempotency: 'jobs',
  WebSocket: 'websocket',
  OpenAPI: 'validation',
  streaming: 'streaming',
  'function URL': 'front-doors',
  'sequence number': 'events',
  interleave: 'testkit',
  Terraform: 'deploy-terraform',
  Middy: 'migrating',
  'fencing token': 'jobs',
  'app.too_large': 'error-codes',
  GraphQL: 'graphql',
};

/** Returns the failures of the search, and prints the number of terms. */
export async function judgeSearch(browser: Browser, origin: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  await page.goto(`${origin}/`, { waitUntil: 'networkidle' });
  const failures: string[] = [];
  for (const [term, wanted] of Object.entries(OWN)) {
    const found = await resultsOf(page, term, wanted);
    if (!found.some((href) => href.includes(wanted))) failures.push(`search: "${term}" does not find ${wanted}`);
  }
  for (const [term, wanted] of SEARCHES) {
    const pages = [...new Set((await resultsOf(page, term, `/${wanted}.html`)).map((href) => href.split('#')[0]))];
    if (!pages.slice(0, 3).includes(`/${wanted}.html`))
      failures.push(`search: "${term}" has ${pages.slice(0, 3).join(', ')} before ${wanted}`);
  }
  failures.push(...(await openFirst(page, origin)));
  await page.close();
  process.stdout.write(`${Object.keys(OWN).length + SEARCHES.length} searches\n`);
  return failures;
}

/** The addresses of the results, in order. Opens and closes the box with the keyboard. */
async function resultsOf(page: Page, term: string, wanted: string): Promise<readonly string[]> {
  await page.keyboard.press('/');
  const results = page.locator('.VPLocalSearchBox a.result');
  // The box stores the last term and shows its results.
  await page.locator('.VPLocalSearchBox input').fill('');
  await results.first().waitFor({ state: 'detached', timeout: 120_000 });
  await page.locator('.VPLocalSearchBox input').fill(term);
  const fitting = page.locator(`.VPLocalSearchBox a.result[href*="${wanted}"]`);
  await fitting
    .first()
    .waitFor({ timeout: 120_000 })
    .catch(() => undefined);
  const hrefs = await results.evaluateAll((all) => all.map((link) => (link as unknown as URL).pathname));
  await page.keyboard.press('Escape');
  return hrefs;
}

/** Types a term, moves to the second result and back, and opens the first one with Enter. */
async function openFirst(page: Page, origin: string): Promise<readonly string[]> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('cold start');
  await page.locator('.VPLocalSearchBox a.result.selected[href*="deployment"]').waitFor({ timeout: 120_000 });
  for (const key of ['ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  const opened = await page.waitForURL(`${origin}/deployment.html**`, { timeout: 120_000 }).then(
    () => true,
    () => false,
  );
  return opened ? [] : [`search: Enter opens ${page.url()} instead of the first result`];
}

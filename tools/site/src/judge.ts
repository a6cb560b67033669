/**
 * `npm run docs:judge`: builds the site and checks it in Chromium: every page opens, every link works, the search finds the
 * expected pages, llms.txt names every page, and axe finds no violation of WCAG 2.2 AA in light and dark. Chromium comes
 * from Debian.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { type Browser, findViolations, launchBrowser, type Page } from '@sallyport/browser';
import './build.js';
import { judgeSearch } from './judge-search.js';
import { OUTPUT, PAGES } from './pages.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

const failures: string[] = [];
const server = await serve();
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const browser = await launchBrowser();
try {
  const addresses = Object.values(PAGES).map(
    (page) => `/${page.replace(/(?:^|\/)index\.md$|\.md$/, (end) => (end.includes('index') ? '' : '.html'))}`,
  );
  for (const scheme of ['light', 'dark'] as const) await readPages(browser, scheme, addresses);
  failures.push(...(await judgeSearch(browser, origin)));
  await readLlms(addresses);
} finally {
  await browser.close();
  server.close();
}
for (const failure of failures) process.stdout.write(`${failure}\n`);
process.stdout.write(failures.length === 0 ? 'the site has no failures\n' : `${failures.length} failures\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Serves the built site as a plain file server does. */
async function serve(): Promise<Server> {
  const files = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname));
    const file = join(OUTPUT, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file));
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  return files;
}

async function readPages(opened: Browser, colorScheme: 'light' | 'dark', addresses: readonly string[]): Promise<void> {
  const context = await opened.newContext({ colorScheme });
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => failures.push(`${page.url()}: ${message}`));
  page.on(
    'response',
    (response) => response.status() >= 400 && failures.push(`${page.url()}: ${response.status()} ${response.url()}`),
  );
  let links = 0;
  for (const address of addresses) {
    const answer = await page.goto(`${origin}${address}`, { waitUntil: 'networkidle' });
    if (!answer?.ok() || (await page.locator('h1').count()) !== 1)
      failures.push(`${address}: does not open with one heading`);
    if (colorScheme === 'light') links += await followLinks(page, address);
    await judgeAccess(page, `${address} (${colorScheme})`);
  }
  await context.close();
  process.stdout.write(`${addresses.length} pages in ${colorScheme}${links > 0 ? `, ${links} links` : ''}\n`);
}

/** Requests each address on the page from the server, and checks each fragment in the target page. */
async function followLinks(page: Page, address: string): Promise<number> {
  const hrefs = await page
    .locator('a[href]')
    .evaluateAll((all) => all.map((link) => (link as { href?: string }).href ?? ''));
  const own = [...new Set(hrefs)].filter((href) => href.startsWith(origin));
  for (const href of own) {
    const { pathname, hash } = new URL(href);
    const answer = await fetch(`${origin}${pathname}`);
    const text = await answer.text();
    const anchor = decodeURIComponent(hash.slice(1));
    if (!answer.ok) failures.push(`${address}: dead link ${pathname}`);
    else if (anchor !== '' && anchor !== 'VPContent' && !text.includes(`id="${anchor}"`))
      failures.push(`${address}: dead anchor ${pathname}${hash}`);
  }
  return own.length;
}

async function judgeAccess(page: Page, place: string): Promise<void> {
  for (const violation of await findViolations(page)) failures.push(`${place}: ${violation}`);
}

/** Checks llms.txt: it names every page except the index and the fixtures, each with a sentence, and every address in it opens. */
async function readLlms(addresses: readonly string[]): Promise<void> {
  const answer = await fetch(`${origin}/llms.txt`);
  const listed = [...(await answer.text()).matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S.*$/gm)].map(([, link = '']) => link);
  const missing = addresses.filter((one) => one !== '/' && one !== '/contract-fixtures.html' && !listed.includes(one));
  for (const address of missing) failures.push(`llms.txt: does not name ${address}`);
  for (const link of listed) if (!(await fetch(`${origin}${link}`)).ok) failures.push(`llms.txt: dead link ${link}`);
  process.stdout.write(`${listed.length} pages in llms.txt\n`);
}

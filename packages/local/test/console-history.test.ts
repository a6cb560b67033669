import { type Browser, findViolations, launchBrowser, type Page } from '@sallyport/browser';
import { historyFolder } from '../src/internal/console/create.js';
import { openHistory } from '../src/internal/history/history.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { openPage, type WatchedPage } from './support/judged.js';
import { createProject, invoke, type Project, start } from './support/run.js';

/** A slow machine must not fail a test; a missing element must. */

const RECORDS = 50_000;
const HANDLER = `export const handler = async ({ text }) => { console.log('said ' + text); return { text }; };`;

let browser: Browser;
let project: Project;
let host: RunningHost;
let opened: WatchedPage;
let page: Page;

beforeAll(async () => {
  project = createProject({ 'src/lambda.mjs': HANDLER });
  fill(historyFolder({ stateFolder: `${project.folder}/.sallyport` }));
  [browser, host] = await Promise.all([launchBrowser(), start(project)]);
  opened = await openPage(browser, `http://127.0.0.1:${host.ports.console}/#token=${host.token}`, 'light');
  ({ page } = opened);
});

afterAll(async () => {
  await browser?.close();
  await host?.stop();
  project?.remove();
});

/** The invocations of earlier runs: as many as are kept. */
function fill(folder: string): void {
  const history = openHistory({ folder, reveal: false, failuresOf: () => [], notice: console.error });
  for (let id = 1; id <= RECORDS; id += 1) {
    const members = {
      id,
      requestId: `r-${id}`,
      origin: { kind: 'queue', target: `orders-${id}` },
      event: { body: `word-${id}.` },
      status: 'ok',
      summary: 'ok',
    } as const;
    history.apply({ number: id, records: [{ id, members, added: {} }], notes: [] });
  }
  history.close();
}

const filter = (text: string, of = page) => of.getByRole('searchbox', { name: 'Filter' }).fill(text);
const option = (text: string, of = page) => of.getByRole('option').filter({ hasText: text });
/** Invokes the function with each text, one after the other. */
async function say(...texts: readonly string[]): Promise<void> {
  for (const text of texts) await invoke(host, { text }, { origin: { kind: 'test', target: text } });
}

it('the list has all invocations, and only the visible rows exist', async () => {
  await page.getByText(`${RECORDS} of ${RECORDS}`).waitFor();
  await option('orders-50000').waitFor();
  expect(await page.getByRole('option').count()).toBeLessThan(80);
  await page.evaluate("document.querySelector('[role=listbox]').scrollTop = 28 * 49000");
  await option('orders-1000').waitFor();
  expect(await page.getByRole('option').count()).toBeLessThan(80);
  await option('orders-1000').click();
  await page.getByRole('region', { name: 'Invocation 1000' }).getByText('word-1000.').waitFor();
  expect(await findViolations(page)).toEqual([]);
});

it('a row that a reader has scrolled to keeps its place when new ones arrive', async () => {
  const place = async () => (await option('orders-1000').boundingBox())?.y;
  const before = await place();
  await say('one', 'two', 'three');
  await page.getByText(`${RECORDS} of ${RECORDS}`).waitFor();
  await page.locator('[aria-selected=true][aria-posinset="49004"]').waitFor();
  expect(await place()).toBe(before);
});

it('the filter finds words of the oldest and of the newest invocation, even if it arrives later', async () => {
  await filter('word-77.');
  await page.getByText(/^1 of /).waitFor();
  await option('orders-77').waitFor();
  await filter('said needle');
  await page.getByText(/^0 of /).waitFor();
  await say('needle');
  await option('needle').waitFor();
  await filter('#49321 !failed');
  await option('orders-49321').waitFor();
  await filter('');
});

it('a second page shows the same, and both follow', async () => {
  const second = await openPage(browser, `http://127.0.0.1:${host.ports.console}/#token=${host.token}`, 'dark');
  await say('both');
  for (const one of [page, second.page]) {
    await one.evaluate("document.querySelector('[role=listbox]').scrollTop = 0");
    await option('both', one).waitFor();
  }
  expect(second.problems).toEqual([]);
  await second.page.context().close();
});

it('a page without a connection, as on a phone that slept, gets what it missed', async () => {
  const asked: string[] = [];
  page.on('request', (request) => request.url().includes('/api/events') && asked.push(request.url()));
  // Going offline breaks the open stream only when its socket is used: the page receives the event of a page that was hidden for a minute.
  await page.evaluate(
    "Object.defineProperty(document, 'hidden', { configurable: true, value: true }); document.dispatchEvent(new Event('visibilitychange'))",
  );
  await say('asleep');
  await page.evaluate(
    "const real = Date.now; Date.now = () => real() + 60000; Object.defineProperty(document, 'hidden', { configurable: true, value: false }); document.dispatchEvent(new Event('visibilitychange')); Date.now = real",
  );
  await option('asleep').waitFor();
  expect(asked).toEqual([expect.stringMatching(/\/api\/events\?since=\d+-\d+$/)]);
});

it('the browser reported no error and no warning', () => {
  expect(opened.problems).toEqual([]);
});

it('the badge and a message report that the service does not load', async () => {
  const broken = createProject({ 'src/lambda.mjs': "throw new TypeError('no table');" });
  const other = await start(broken);
  const view = await browser.newPage();
  await view.goto(`http://127.0.0.1:${other.ports.console}/#token=${other.token}`);
  await view.getByRole('banner').getByText('does not load').waitFor();
  await view.getByRole('region', { name: 'Service' }).getByText('TypeError: no table').waitFor();
  await view.close();
  await other.stop();
  broken.remove();
});

/** The first steps of a developer on the page: the suggested caller, the place of an error, the keys, the tabs on a phone. */
import { type Browser, findViolations, launchBrowser, type Page } from '@sallyport/browser';
import { tables } from '../src/internal/services/dynamodb/table-state.js';
import { type Judged, openPage, startJudged } from './support/judged.js';

/** A slow machine must not fail a test; a missing element must. */

const VIEWS = ['invocations', 'triggers', 'queues', 'tables', 'send', 'mcp', 'api', 'recordings'] as const;

let browser: Browser;
let judged: Judged;
let page: Page;

beforeAll(async () => {
  [browser, judged] = await Promise.all([launchBrowser(), startJudged()]);
  ({ page } = await openPage(browser, judged.address, 'light'));
});

afterAll(async () => {
  await browser?.close();
  await judged?.stop();
});

const show = (view: string) => page.evaluate(`location.hash = '#/${view}'`);
const region = (name: string) => page.getByRole('region', { name });

async function openSend(target: string): Promise<void> {
  await show('send');
  const form = region('What to send');
  await form.getByRole('combobox', { name: 'what' }).selectOption('http');
  await form.locator('input[list^="targets-"]').fill(target);
}

describe('the suggested caller is accepted by the operation', () => {
  it.each([
    ['POST /orders', 'ada', 'orders:write'],
    ['POST /closed/mcp', 'ada', 'mcp'],
  ])('%s', async (target, subject, scopes) => {
    await openSend(target);
    await expect(page.getByLabel('subject').inputValue()).resolves.toBe(subject);
    await expect(page.getByLabel('scopes').inputValue()).resolves.toBe(scopes);
  });

  it('a public one is called anonymously', async () => {
    await openSend('GET /notes/{id}');
    await page.getByLabel('subject').waitFor({ state: 'detached' });
  });

  it('the first click on Send succeeds', async () => {
    await openSend('POST /orders');
    await page.getByRole('button', { name: /^Send/ }).click();
    await region('Result').getByText('201').first().waitFor();
  });

  it('a protected MCP server is connected by the first click', async () => {
    await show('mcp');
    await region('Server').getByRole('combobox', { name: 'server' }).selectOption('/closed/mcp');
    await page.getByRole('button', { name: /^Connect/ }).click();
    await page.getByRole('heading', { name: /^Tools/ }).waitFor();
  });

  it('the caller that the user chose is kept', async () => {
    await openSend('POST /orders');
    await page.getByLabel('subject').fill('grace');
    await openSend('GET /notes/{id}');
    await expect(page.getByLabel('subject').inputValue()).resolves.toBe('grace');
  });
});

describe('a form begins with a sample that its handler accepts', () => {
  const field = (name: string) => region('What to send').getByRole('textbox', { name: new RegExp(`^${name}\\b`) });

  it.each([
    ['websocket order', 'body', '"count": 1'],
    ['table-stream notes', 'newImage', '"id": "text"'],
    ['schedule nightly', 'detail', '"report": "daily"'],
  ])('%s', async (address, name, sample) => {
    await show(`send/${encodeURIComponent(address)}`);
    await field(name).filter({ hasText: sample }).waitFor();
    await page.getByRole('button', { name: /^Send/ }).click();
    await page.getByRole('status').filter({ hasText: 'Sent' }).waitFor();
  });

  it.each([
    ['{"source":"shop"}', 'event-bus', 'bus', 'default'],
    ['{"scheduleName":"nightly"}', 'schedule', 'schedule', 'nightly'],
  ])('of the handler %s, opened from the triggers', async (selector, kind, target, name) => {
    await show('triggers');
    await page.getByRole('row').filter({ hasText: selector }).getByRole('button', { name: /^Send/ }).click();
    expect(await region('What to send').getByRole('combobox', { name: 'what' }).inputValue()).toBe(kind);
    await expect(region('What to send').getByRole('combobox', { name: target }).inputValue()).resolves.toBe(name);
    if (kind === 'event-bus') await expect(field('source').inputValue()).resolves.toBe('shop');
  });
});

it.each(VIEWS)('%s has a primary action', async (view) => {
  if (view === 'tables') await judged.host.state.get(tables).endpoint();
  if (view === 'recordings') {
    await show('invocations');
    await page.getByRole('option').first().click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved/ })
      .waitFor();
  }
  await show(view);
  await page.locator('main button.action.primary').first().waitFor();
});

describe('a failed action', () => {
  it('is shown next to its button, and not in another view', async () => {
    await openSend('GET /notes/{id}');
    await region('What to send').getByRole('checkbox', { name: 'gateway-v2' }).uncheck();
    await page.getByRole('button', { name: /^Send/ }).click();
    const alert = region('What to send').getByRole('alert');
    await alert.filter({ hasText: /door/ }).waitFor();
    await show('queues');
    // The page changes its view some time after its address.
    const empty = { hasText: /^$/ };
    await page.getByRole('alert').filter(empty).waitFor({ state: 'attached' });
    await show('send');
    await alert.filter(empty).waitFor({ state: 'attached' });
    await region('What to send').getByRole('checkbox', { name: 'gateway-v2' }).check();
  });
});

describe('keys', () => {
  it.each([
    ['5', 'send'],
    ['1', 'invocations'],
    ['s', 'send'],
  ])('after %s the next Tab is in the view', async (key, view) => {
    await show('api');
    await page.locator('nav a[aria-current]', { hasText: 'api' }).waitFor();
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press(key);
    await page.locator('nav a[aria-current]', { hasText: view }).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('main :focus').waitFor();
  });

  it('the first Tab of the page leads past the header', async () => {
    await page.reload();
    await page.getByRole('navigation').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Skip to the view' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
  });
});

describe('on a phone, 390 px wide', () => {
  beforeAll(() => page.setViewportSize({ width: 390, height: 844 }));

  it.each(VIEWS)('%s: its tab is visible, the page is not wider, and axe finds nothing', async (view) => {
    await show(view);
    const tab = page.locator('nav a[aria-current]', { hasText: view });
    await tab.waitFor();
    await page
      .getByText(/(?:being read|being built)\.$/)
      .first()
      .waitFor({ state: 'detached' });
    const { x = -1, width = 0 } = (await tab.boundingBox()) ?? {};
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
    await expect(page.evaluate('document.documentElement.scrollWidth')).resolves.toBeLessThanOrEqual(390);
    expect(await findViolations(page)).toEqual([]);
  });

  it('the first tab can be reached', async () => {
    await show('recordings');
    await page.locator('nav').evaluate((nav: { scrollLeft: number }) => {
      nav.scrollLeft = 0;
    });
    const { x = -1 } = (await page.locator('nav a').first().boundingBox()) ?? {};
    expect(x).toBeGreaterThanOrEqual(0);
  });
});

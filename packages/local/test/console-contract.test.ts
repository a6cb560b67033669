/** The console's view of the contract, in a browser. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Browser, launchBrowser, type Page } from '@sallyport/browser';
import { expectAccessible, type Judged, openPage, startJudged, type WatchedPage } from './support/judged.js';

let browser: Browser;
let judged: Judged;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, judged] = await Promise.all([launchBrowser(), startJudged('contract.ts')]);
  watched = await openPage(browser, judged.address, 'light');
  ({ page } = watched);
});
afterAll(async () => {
  await browser?.close();
  await judged?.stop();
});

const show = async () => {
  await page.evaluate("location.hash = '#/contract'");
  await page.getByRole('searchbox', { name: 'Filter' }).waitFor();
};
const said = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const copied = async () => String(await page.evaluate('navigator.clipboard.readText()'));
const field = (name: string) =>
  page.getByRole('region', { name: 'What to send' }).getByRole('textbox', { name: new RegExp(`^${name}\\b`) });

async function open(name: string): Promise<void> {
  await show();
  await page.getByRole('searchbox', { name: 'Filter' }).fill(name);
  const card = page.locator('details').first();
  if ((await card.getAttribute('open')) === null) await card.locator('summary').click();
  await page.locator('details[open]').first().waitFor();
}

it('key 0 shows all doors; keys alone open an entry, copy its code and fill its form', async () => {
  await page.keyboard.press('0');
  await page.getByText('18 entries').waitFor();
  await page.getByText('PUT /dates body').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('l');
  await page.getByRole('tab', { name: 'curl' }).waitFor();
  await page.keyboard.press('y');
  await said('Copied curl for GET /orders/{id}');
  expect(await copied()).toMatch(/^curl --request GET 'http:\/\/127\.0\.0\.1:\d+\/orders\/3f2b8c1e/);
  await page.keyboard.press('t');
  await page.getByRole('combobox', { name: 'method and path' }).waitFor();
  expect(await field('query').inputValue()).toBe('full: text');
  await page.getByRole('button', { name: /^Send/ }).click();
  await page.getByRole('region', { name: 'Answer of gateway-v2' }).getByText('200', { exact: true }).waitFor();
});

it('shows the schema, its example, and code for each tool; axe finds nothing, also at 390 px', async () => {
  await open('POST /orders');
  await page.getByRole('region', { name: 'Schema of body of POST /orders' }).getByText('"items"').first().waitFor();
  await page.getByRole('region', { name: 'Example of body of POST /orders' }).getByText('"tea\'s"').waitFor();
  await page.getByRole('tab', { name: 'answer 201' }).click();
  await page.getByRole('region', { name: 'Example of 201 of POST /orders' }).waitFor();
  await page.getByRole('tab', { name: 'client' }).click();
  await page.getByRole('region', { name: 'client for POST /orders' }).getByText("api('POST /orders'").waitFor();
  await page.getByRole('tab', { name: 'test kit' }).click();
  await page.getByRole('region', { name: 'test kit for POST /orders' }).getByText('contractClient').waitFor();
  await expectAccessible(page);
});

it('copied curl commands are answered by the run', async () => {
  for (const [name, answer] of [
    ['GET /orders/{id}', '"items":[]'],
    ['GET /files/{path+}', '{"path":"text"}'],
  ] as const) {
    await open(name);
    await page.keyboard.press('Escape');
    await page.keyboard.press('y');
    await said(`Copied curl for ${name}`);
    const line = await copied();
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `${line} --silent --max-time 30`]);
    expect(stdout).toContain(answer);
  }
});

it.each([
  ['queue orders', 'body', '"sku": "tea\'s"', 'Sent'],
  ['bus shop/Paid', 'detail', '"cents": 1', 'Sent'],
  ['socket in say', 'body', '"action": "say"', 'Sent'],
  ['schedule/nightly', 'detail', '"report": "daily"', 'Sent'],
  ['invoke charge', 'event', '"$invoke": "charge"', 'Sent'],
  ['POST /orders', 'json', '"count": 1', 'Sent'],
])('Try it of %s fills the form, which is accepted', async (name, fieldName, text, status) => {
  await open(name);
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Try it/ })
    .first()
    .click();
  await field(fieldName).filter({ hasText: text }).waitFor();
  await page.getByRole('button', { name: /^Send/ }).click();
  await said(status);
});

it('Try it of a protected route has a caller with its scopes', async () => {
  await page.getByRole('region', { name: 'Answer of gateway-v2' }).getByText('201', { exact: true }).waitFor();
});

it('Try it of a tool shows it with its arguments after the connection', async () => {
  await open('tool add');
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Try it/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Connect/ }).click();
  await page.getByRole('textbox', { name: 'arguments' }).filter({ hasText: '"a": 1' }).waitFor();
  await page.getByRole('button', { name: /^Call/ }).click();
  await page.getByRole('region', { name: 'Answer' }).getByText('"sum"').waitFor();
});

it('the browser reported no error and no warning', () => {
  expect(watched.problems).toEqual([]);
});

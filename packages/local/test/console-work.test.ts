import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, launchBrowser, type Page } from '@sallyport/browser';
import { dynamodbEndpoint } from '@sallyport/dynamodb-local';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { tables } from '../src/internal/services/dynamodb/table-state.js';
import { expectAccessible, openPage, type WatchedPage } from './support/judged.js';
import { createProject, invoke, type Project, start } from './support/run.js';

/** A slow machine must not fail a test; a missing element must. */

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
/** The tests of a run share one engine. */
const TABLE = `orders-${process.pid}`;
const SETTINGS = {
  env: { TABLE },
  tables: [
    {
      TableName: TABLE,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    },
  ],
};

let browser: Browser;
let project: Project;
let host: RunningHost;
let opened: WatchedPage;
let page: Page;

beforeAll(async () => {
  process.env.DYNAMODB_ENDPOINT = await dynamodbEndpoint();
  project = createProject({
    'sallyport.json': JSON.stringify(SETTINGS),
    'test/plain.test.mjs': '',
  });
  cpSync(join(PACKAGE, 'test', 'functions', 'work.ts'), join(project.folder, 'src', 'lambda.ts'));
  symlinkSync(join(PACKAGE, 'node_modules'), join(project.folder, 'node_modules'));
  [browser, host] = await Promise.all([
    launchBrowser(),
    start(project, { entry: 'src/lambda.ts', state: true, conditions: ['@sallyport/source'] }),
  ]);
  await host.state.get(tables).endpoint();
  opened = await openPage(browser, `http://127.0.0.1:${host.ports.console}/#token=${host.token}`, 'light');
  ({ page } = opened);
});

afterAll(async () => {
  delete process.env.DYNAMODB_ENDPOINT;
  await browser?.close();
  await host?.stop();
  project?.remove();
});

/** Invokes the function, and opens the page of the invocation. @returns its number */
async function invokeAndShow(event: object): Promise<number> {
  const { id } = await invoke(host, event, { origin: { kind: 'test', target: 'orders' } });
  await page.evaluate(`location.hash = '#/invocations/${id}'`);
  await page.getByRole('region', { name: `Invocation ${id}` }).waitFor();
  return id;
}

const press = async (...keys: readonly string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
/** Letters are keys of the page only if no field has the focus. A string, because these tests are compiled without the DOM types. */
const leaveFields = () => page.evaluate('document.activeElement?.blur?.()');
const said = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();

describe('the items that an invocation writes', () => {
  const image = (title: 'Before' | 'After') =>
    page.getByRole('region', { name: `${title} in ${TABLE} {"id":{"S":"o-1"}}` });
  const openCall = async (name: string) => {
    await page.getByRole('tab', { name: 'AWS 1' }).click();
    await page.locator('summary').filter({ hasText: name }).click();
  };

  it('are shown before and after the call, next to each other', async () => {
    await invokeAndShow({ put: { id: 'o-1', state: 'open', token: 'hunter2' } });
    await openCall('dynamodb PutItem');
    await page.getByText('There is no item.').waitFor();
    await image('After').getByText('"open"').waitFor();
    await invokeAndShow({ update: { id: 'o-1', state: 'paid' } });
    await openCall('dynamodb UpdateItem');
    await image('Before').getByText('"open"').waitFor();
    await image('After').getByText('"paid"').waitFor();
    expect(await page.getByText('hunter2').count()).toBe(0);
    await expectAccessible(page);
  });

  it('that do not change are shown as such', async () => {
    await invokeAndShow({ update: { id: 'o-1', state: 'paid' } });
    await openCall('dynamodb UpdateItem');
    await page.getByText('The call did not change the item.').waitFor();
  });

  it('lead to the table at the time of the invocation, and back to now', async () => {
    await invokeAndShow({ put: { id: 'o-2', state: 'open' } });
    const removed = await invokeAndShow({ remove: 'o-1' });
    await invokeAndShow({ remove: 'o-2' });
    await page.evaluate(`location.hash = '#/invocations/${removed}'`);
    await page.getByRole('region', { name: `Invocation ${removed}` }).waitFor();
    await openCall('dynamodb DeleteItem');
    await page.getByRole('link', { name: `${TABLE} when #${removed} began` }).click();
    const table = page.getByRole('region', { name: `Table ${TABLE}` });
    await table.getByText(`2 items when #${removed} began; 0 were created since.`).waitFor();
    await table.getByText('"o-1"').waitFor();
    await table.getByText('changed since').first().waitFor();
    expect(await page.getByText('hunter2').count()).toBe(0);
    await expectAccessible(page);
    await leaveFields();
    await press('t');
    await page.getByRole('combobox', { name: 'time' }).and(page.locator(':focus')).selectOption('');
    await table.getByText('It is empty.').waitFor();
  });
});

describe('a hidden value', () => {
  const secret = 'hunter2-of-this-test';

  it('has a reason, is revealed alone, and is in no file and no record', async () => {
    await invokeAndShow({ password: secret });
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByRole('tab', { name: 'Hidden' }).click();
    const row = (place: string) => page.getByRole('row').filter({ hasText: place });
    await row('event.password').getByRole('cell', { name: 'the name of the key: password', exact: true }).waitFor();
    await row('logs.0.text').locator('td').nth(1).getByText('a secret after its name').waitFor();
    await row('event.password')
      .getByRole('button', { name: /^Reveal/ })
      .click();
    await row('event.password').getByText(secret).waitFor();
    expect(await page.getByText(secret).count()).toBe(1);
    await expectAccessible(page);
    await leaveFields();
    await press('v');
    await row('logs.0.text').getByText(`password=${secret}`).waitFor();
    expect(await page.getByText(secret).count()).toBe(1);
    await press('h');
    await page.getByText(secret).waitFor({ state: 'detached' });
    const files = readdirSync(join(project.folder, '.sallyport'), { recursive: true, withFileTypes: true });
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });

  it('is not revealed without the token, and only where something is hidden', async () => {
    const id = await invokeAndShow({ password: secret });
    const reveal = (path: readonly string[], headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${host.ports.console}/api/reveal`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ id, path }),
      });
    expect((await reveal(['event', 'password'], {})).status).toBe(401);
    const authorized = { authorization: `Bearer ${host.token}` };
    expect(await (await reveal(['event', 'password'], authorized)).json()).toEqual({ value: secret });
    expect((await reveal(['event'], authorized)).status).toBe(404);
  });
});

describe('a hidden value inside JSON', () => {
  const [first, second] = ['hunter2-in-json', 'hunter2-in-a-body'];
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const revealIn = (name: string, place: string) =>
    region(name)
      .getByRole('button', { name: new RegExp(`^Reveal ${place}`) })
      .click();

  it('of an event is revealed where it is, one at a time', async () => {
    await invokeAndShow({ password: first, body: JSON.stringify({ token: second }) });
    await page.getByRole('tab', { name: 'Event' }).click();
    await revealIn('Event', 'password');
    await region('Event').getByText(first).waitFor();
    expect(await page.getByText(second).count()).toBe(0);
    await expectAccessible(page);
    await revealIn('Event', 'body.token');
    await region('Event').getByText(second).waitFor();
    expect(await page.getByText(first).count()).toBe(0);
    await leaveFields();
    await press('v');
    await region('Event').getByText(first).waitFor();
    await press('v');
    await region('Event').getByText(second).waitFor();
    await press('h');
    await page.getByText(second).waitFor({ state: 'detached' });
  });

  it('of an item of a table is revealed where it is', async () => {
    await invokeAndShow({ put: { id: 'o-9', state: 'open', token: first } });
    await page.evaluate(`location.hash = '#/tables/${TABLE}'`);
    await revealIn('Item 1', 'token');
    await region('Item 1').getByText(`{"S":"${first}"}`).waitFor();
    await expectAccessible(page);
    await page.evaluate(`location.hash = '#/queues'`);
    await page.getByText(first).waitFor({ state: 'detached' });
  });

  it('of an item is not revealed without the token, of another item, and where nothing is hidden', async () => {
    const shown = { id: { S: 'o-9' }, state: { S: 'open' }, token: '[REDACTED]' };
    const reveal = async (
      more: object,
      headers: Record<string, string> = { authorization: `Bearer ${host.token}` },
    ) => {
      const body = JSON.stringify({ service: 'dynamodb', name: TABLE, index: 0, shown, path: ['token'], ...more });
      const url = `http://127.0.0.1:${host.ports.console}/api/reveal-item`;
      const answer = await fetch(url, { method: 'POST', headers, body });
      return [answer.status, await answer.text()];
    };
    expect(await reveal({}, {})).toEqual([401, expect.any(String)]);
    expect(await reveal({})).toEqual([200, JSON.stringify({ value: JSON.stringify({ S: first }) })]);
    for (const more of [{ shown: { id: 'another' } }, { index: 7 }, { path: ['id'] }]) {
      expect(await reveal(more)).toEqual([404, expect.stringContaining('local.not_found')]);
    }
  });

  it('of an item before and after a write, and of a table in the past, is revealed where it is', async () => {
    await invokeAndShow({ put: { id: 'o-10', state: 'open', token: first } });
    const id = await invokeAndShow({ put: { id: 'o-10', state: 'paid', token: second } });
    await page.getByRole('tab', { name: 'AWS 1' }).click();
    await page.locator('summary').filter({ hasText: 'dynamodb PutItem' }).click();
    const image = (name: string) => page.getByRole('region', { name: new RegExp(`^${name} in ${TABLE}`) });
    await image('Before')
      .getByRole('button', { name: /^Reveal token/ })
      .click();
    await image('Before').getByText(`{"S":"${first}"}`).waitFor();
    await image('After')
      .getByRole('button', { name: /^Reveal token/ })
      .click();
    await image('After').getByText(`{"S":"${second}"}`).waitFor();
    expect(await page.getByText(`{"S":"${first}"}`).count()).toBe(0);
    await page.evaluate(`location.hash = '#/tables/${TABLE}@${id}'`);
    await page.getByText(/items when/).waitFor();
    const item = page.getByRole('region', { name: /^Item/ }).filter({ hasText: 'o-10' });
    await item.getByRole('button', { name: /^Reveal token/ }).click();
    await item.getByText(`{"S":"${first}"}`).waitFor();
    await leaveFields();
    await press('h');
    await page.getByText(first).waitFor({ state: 'detached' });
    await expectAccessible(page);
    const headers = { authorization: `Bearer ${host.token}` };
    for (const wrong of [{ shown: {} }, { index: 99 }, { path: ['after', 'id'] }, { table: TABLE }]) {
      const shown = { before: { id: 'o-10' }, after: {} };
      const body = JSON.stringify({ id, index: 0, shown, path: ['after', 'token'], ...wrong });
      const url = `http://127.0.0.1:${host.ports.console}/api/reveal-earlier`;
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(404);
    }
  });
});

describe('Save as test', () => {
  const written = () => readdirSync(join(project.folder, 'test')).filter((file) => file.startsWith('test-orders'));

  it('writes a test into the test folder of the service by one key, and names its file', async () => {
    const id = await invokeAndShow({ put: undefined });
    await leaveFields();
    await press('t');
    await said(`Saved test/test-orders-${id}.test.ts`);
    const text = readFileSync(join(project.folder, `test/test-orders-${id}.test.ts`), 'utf8');
    expect(text).toContain("import { handler } from '../src/lambda.ts';");
    expect(text).toContain('{"done":true}');
    await page.getByText(`The test of #${id} is in`).waitFor();
    await page.getByRole('link', { name: `test/test-orders-${id}.test.ts:1:1` }).waitFor();
    await expectAccessible(page);
  });

  it('keeps one of two compared invocations, and never overwrites a file', async () => {
    const before = await invokeAndShow({ password: 'a' });
    await invokeAndShow({ password: 'bb' });
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption(String(before));
    const comparison = page.getByRole('region', { name: 'Comparison' });
    const button = comparison.getByRole('button', { name: new RegExp(`^Save #${before} as test`) });
    await button.click();
    await comparison.getByText(`The test of #${before} is in`).waitFor();
    await leaveFields();
    await press('b');
    await said(`Saved test/test-orders-${before}-2.test.ts`);
    await expectAccessible(page);
    expect(written().filter((file) => file.includes(`-${before}`))).toHaveLength(2);
  });

  it('needs the token', async () => {
    const files = written();
    const answer = await fetch(`http://127.0.0.1:${host.ports.console}/api/tests`, {
      method: 'POST',
      body: '{"id":1}',
    });
    expect(answer.status).toBe(401);
    expect(written()).toEqual(files);
  });
});

it('each action of an invocation has a key, and the help names it', async () => {
  const before = await invokeAndShow({ password: 'a' });
  await invokeAndShow({ password: 'b', put: { id: 'o-3', state: 'open' } });
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption(String(before));
  await page.getByRole('tab', { name: 'Hidden' }).click();
  await page
    .getByRole('button', { name: /^Reveal/ })
    .first()
    .waitFor();
  await leaveFields();
  const actions = (await page.evaluate(
    `[...document.querySelectorAll('main button.action')].map((one) => [one.textContent, one.getAttribute('aria-keyshortcuts') ?? ''])`,
  )) as readonly (readonly [text: string, key: string])[];
  await press('Shift+?');
  const known = await page.getByRole('dialog').locator('kbd').allTextContents();
  await press('Escape');
  expect(actions.length).toBeGreaterThan(6);
  expect(actions.filter(([, key]) => !known.includes(key))).toEqual([]);
});

it('the browser reported no error and no warning', () => {
  expect(opened.problems).toEqual([]);
});

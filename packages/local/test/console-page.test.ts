import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BatchWriteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type Browser, findViolations, launchBrowser, type Page } from '@sallyport/browser';
import { tables } from '../src/internal/services/dynamodb/table-state.js';
import { clientConfig } from './support/clients.js';
import { expectAccessible, type Judged, openPage, startJudged, type WatchedPage } from './support/judged.js';

/** A slow machine must not fail a test; a missing element must. */

/** Pictures for docs/local.md; not committed. The tasks that render the documentation set `SALLYPORT_PICTURES`. */
const PICTURES = fileURLToPath(new URL('../../../docs/images/local', import.meta.url));
const HAS_PICTURES = process.env.SALLYPORT_PICTURES === '1';

let browser: Browser;
let judged: Judged;
let light: WatchedPage;
let page: Page;

beforeAll(async () => {
  if (HAS_PICTURES) mkdirSync(PICTURES, { recursive: true });
  [browser, judged] = await Promise.all([launchBrowser(), startJudged()]);
  light = await openPage(browser, judged.address, 'light');
  ({ page } = light);
});

afterAll(async () => {
  await browser?.close();
  await judged?.stop();
});

/** Opens a view by its address: the links are clicked below, where each view is tested. */
const show = (view: string) => page.evaluate(`location.hash = '#/${view}'`);
const said = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
/** The first line of the list with this trigger and target. */
const line = (trigger: string, target: string) =>
  page.getByRole('option').filter({ hasText: trigger }).filter({ hasText: target }).first();

/** Fills the form of a kind, and leaves it to be sent. */
async function fillForm(kind: string, target: string, json: Readonly<Record<string, string>> = {}): Promise<void> {
  await show('send');
  const form = page.getByRole('region', { name: 'What to send' });
  await form.getByRole('combobox', { name: 'what' }).selectOption(kind);
  if (target !== '') await form.locator('input[list^="targets-"]').fill(target);
  for (const [name, text] of Object.entries(json))
    await form.getByRole('textbox', { name: new RegExp(`^${name}\\b`) }).fill(text);
}

async function send(kind: string, target: string, json: Readonly<Record<string, string>> = {}): Promise<void> {
  await fillForm(kind, target, json);
  await page.getByRole('button', { name: /^Send/ }).click();
  await said('Sent');
}

describe('every kind is sent from its form, and its invocation is shown', () => {
  it.each([
    ['http', 'GET /notes/7', {}, 'gateway-v2', 'GET /notes/7', '200'],
    ['appsync', 'Query.note', { arguments: '{}' }, 'appsync', 'Query.note', 'ok'],
    ['websocket', '$default', { body: '{"say":"hello"}' }, 'websocket', '$default', '200'],
    ['queue', 'orders', { body: '{"id":"good"}' }, 'queue', 'orders', 'ok'],
    ['queue', 'steps.fifo', { body: '{}', groupId: 'g-1' }, 'queue', 'steps.fifo', 'ok'],
    ['stream', 'clicks', { json: '{"path":"/"}' }, 'stream', 'clicks', 'ok'],
    ['table-stream', 'notes', { keys: '{"id":"n-1"}', newImage: '{"id":"n-1"}' }, 'table-stream', 'notes', 'ok'],
    ['topic', 'news', { message: '{"text":"new"}' }, 'topic', 'news', 'ok'],
    ['event-bus', 'default', { source: 'shop', detail: '{}' }, 'event-bus', '', 'ok'],
    ['schedule', 'nightly', {}, 'event-bus', 'nightly', 'ok'],
    ['log-subscription', 'clicks', { messages: 'a line' }, 'stream', '', 'ok'],
    [
      'event',
      '',
      { event: '{"Records":[{"Sns":{"Message":"m","TopicArn":"arn:aws:sns:us-east-1:123456789012:news"}}]}' },
      'topic',
      '',
      'ok',
    ],
    ['alarm', '', {}, 'alarm', '', 'ok'],
    ['iot-rule', '', {}, 'iot-rule', '', 'ok'],
    ['pipe', '', { event: '[{"messageId":"m-1"}]' }, 'pipe', '', 'ok'],
    ['task', '', {}, 'task', '', 'ok'],
  ])('%s %s', async (kind, target, json, trigger, shown, result) => {
    await send(kind, target, json);
    await show('invocations');
    await line(trigger, shown).filter({ hasText: result }).waitFor();
  });
});

it('an event of a pipe reaches no handler by another alias', async () => {
  await fillForm('pipe', '');
  await page.getByRole('region', { name: 'What to send' }).getByLabel('alias').fill('attic');
  await page.getByRole('button', { name: /^Preview/ }).click();
  await page.getByText('qualifier attic').first().waitFor();
  await page.getByRole('region', { name: 'What to send' }).getByLabel('alias').fill('orders');
});

it('shows one request through four doors next to each other, and an anonymous caller', async () => {
  await fillForm('http', 'POST /orders', { json: '{}' });
  await page.getByLabel('subject').waitFor();
  await page.getByLabel('anonymous').check();
  const doors = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'];
  for (const door of doors) await page.getByLabel(door, { exact: true }).check();
  await page.getByRole('button', { name: /^Send/ }).click();
  for (const door of doors)
    await page
      .getByRole('region', { name: `Answer of ${door}` })
      .getByText('401', { exact: true })
      .waitFor();
  await picture('doors');
  for (const door of doors.slice(1)) await page.getByLabel(door, { exact: true }).uncheck();
});

it('explains an event before it is sent, as an agent would send it', async () => {
  await fillForm('queue', 'orders', { body: '{"id":"good"}' });
  await page.getByRole('button', { name: /^Preview/ }).click();
  await page.getByText('Row 4 of').waitFor();
  await page.getByLabel('an agent').check();
  await page.getByLabel('tool').fill('notes___add');
  await page.getByRole('button', { name: /^Preview/ }).click();
  await page.getByText('no adapter for').first().waitFor();
  await page.getByLabel('the service').check();
});

it('shows a failure with its error, and a timer that is still running', async () => {
  await send('http', 'GET /boom');
  await send('http', 'GET /later');
  await show('invocations');
  await line('gateway-v2', 'GET /later').click();
  await page.getByText('Timeout', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Logs 1' }).click();
  expect(await page.locator('.logs code').textContent()).toBe('leaves\n\ta timer');
  await line('gateway-v2', 'GET /boom').filter({ hasText: '500' }).click();
  const failure = page.getByRole('region', { name: 'Failure' });
  await failure.getByText('lambda.ts:36:').waitFor();
  await failure.getByRole('region', { name: 'Source' }).getByText('>   36 |').waitFor();
  await page.getByRole('tab', { name: 'Client' }).click();
  await page.getByText('status 500').waitFor();
  await expectAccessible(page);
});

it('finds words of failures and of log lines', async () => {
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.fill('lambda.ts');
  await page.getByText(/^1 of /).waitFor();
  await line('gateway-v2', 'GET /boom').waitFor();
  await filter.fill('leaves timer');
  await line('gateway-v2', 'GET /later').waitFor();
  await page.getByText(/^1 of /).waitFor();
  await expectAccessible(page);
  await filter.fill('');
});

it('shows a retry that counts down, a dead letter, the corrected service, and the way back', async () => {
  await send('queue', 'orders', { body: '{"id":"bad"}' });
  await show('invocations');
  await line('queue', 'orders').filter({ hasText: 'failed' }).click();
  await page.getByText(/back in .*, delivery 2 of 2/).waitFor();
  await picture('retry');
  await page.getByRole('button', { name: /^Now/ }).click();
  await show('queues');
  await page.getByText(/a dead letter in .*, after delivery 2 of 2/).waitFor();
  await page.getByRole('button', { name: /^Now/ }).click();
  await page.getByText('dead letter after 2 deliveries').waitFor();
  await page.locator('.reason').getByRole('link').click();
  const deliveries = page.getByRole('region', { name: 'Deliveries' });
  await deliveries.getByText('delivery 2,').waitFor();
  await deliveries.getByText('Error: a bad order').first().waitFor();
  await expectAccessible(page);
  await deliveries.getByRole('link', { name: 'dead letter' }).click();
  await page
    .locator('.reason')
    .filter({ hasText: /^#\d+ Error: / })
    .waitFor();
  await page.getByRole('button', { name: /^Look/ }).first().click();
  await page
    .getByRole('region', { name: /^Record/ })
    .getByText('bad')
    .waitFor();
  await picture('dead-letter');
  expect(await actionsWithoutKey()).toEqual([]);
  const before = await page.getByText(/^built /).textContent();
  judged.correct();
  await page
    .getByText(/^built /)
    .filter({ hasNotText: before ?? '' })
    .waitFor();
  await page.getByRole('button', { name: /^Send back/ }).click();
  await said('is back in its source');
  await page.getByText('dead letter after 2 deliveries').waitFor({ state: 'detached' });
  await show('invocations');
  await line('queue', 'orders').filter({ hasText: 'ok' }).waitFor();
});

it.each([
  ['queue', 'steps.fifo', { body: '{"skipped":true}', groupId: 'g-1' }, 'no pattern of the mapping matches'],
  ['topic', 'news', { message: '{"skipped":true}' }, 'the filter policy does not match'],
  ['event-bus', 'default', { source: 'shop', detail: '{"skipped":true}' }, 'no rule matches'],
])('shows records that the filters of the %s %s drop', async (kind, name, json, why) => {
  await send(kind, name, json);
  await show('queues');
  const source = page.getByRole('region', { name: `${kind} ${name}`, exact: true });
  await source.getByText('1 filtered').waitFor();
  await source.getByText(why).waitFor();
});

describe('MCP', () => {
  const connect = async (era: string) => {
    await show('mcp');
    await page.getByRole('combobox', { name: 'protocol' }).selectOption(era);
    await page.getByRole('button', { name: /^Connect/ }).click();
    await said('Connected');
  };
  const answered = (text: string) => page.getByRole('region', { name: 'Answer' }).getByText(text).waitFor();

  it.each([['sessions'], ['stateless']])('calls a tool and reads a resource in the era %s', async (era) => {
    await connect(era);
    await page.getByRole('button', { name: /^time/ }).click();
    await page.getByRole('button', { name: /^Call/ }).click();
    await answered('noon');
    await page.getByRole('button', { name: /^notes:\/\/all/ }).click();
    await page.getByRole('button', { name: /^Get/ }).click();
    await answered('Milk');
  });

  it.each([['sessions'], ['stateless']])('answers the elicitation of a tool in the era %s', async (era) => {
    await connect(era);
    await page.getByRole('button', { name: /^greet/ }).click();
    await page.getByRole('textbox', { name: 'arguments' }).fill('{"greeting":"Hello"}');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByLabel('answer as JSON').fill('{"name":"Ada"}');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await answered('Hello Ada');
  });

  it('confirms on the page by keyboard, and can be canceled', async () => {
    await connect('stateless');
    await leaveFields();
    const greet = page.getByRole('button', { name: /^greet/, pressed: true });
    await press('j', 'j', 'j');
    await greet.waitFor();
    await press('t');
    await page.getByLabel('answer as JSON').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"name":"Bea"}');
    await press('Control+Enter');
    await answered('Bea');
    await press('t');
    await page.getByLabel('answer as JSON').and(page.locator(':focus')).waitFor();
    expect(await actionsWithoutKey()).toEqual([]);
    await press('d');
    await page.getByLabel('answer as JSON').waitFor({ state: 'detached' });
    await said('greet answered');
  });
});

describe('the caller that is chosen', () => {
  const sendAs = async (scopes: string | undefined) => {
    await fillForm('http', 'POST /orders', { json: '{}' });
    await page.getByLabel(scopes === undefined ? 'anonymous' : 'signed in').check();
    if (scopes !== undefined) {
      await page.getByLabel('subject').fill('grace');
      await page.getByLabel('scopes').fill(scopes);
    }
    await page.getByRole('button', { name: /^Send/ }).click();
    return page.getByRole('region', { name: 'Answer of gateway-v2' }).first();
  };

  it('has a token of the local issuer: the request succeeds', async () => {
    const answer = await sendAs('orders:read orders:write');
    await answer.getByText('201', { exact: true }).waitFor();
    await answer.getByText('"by":"grace"').waitFor();
    await show('invocations');
    await line('gateway-v2', 'POST /orders').filter({ hasText: 'grace' }).filter({ hasText: '201' }).click();
    await page.getByText('allowed: authenticated (orders:read, orders:write), external').waitFor();
  });

  it.each([
    ['another caller', 'orders:read', '403'],
    ['anonymous', undefined, '401'],
  ])('%s is rejected', async (_name, scopes, status) => {
    await (await sendAs(scopes)).getByText(status, { exact: true }).waitFor();
  });

  it.each([
    ['sessions', 'mcp', 'grace'],
    ['stateless', 'mcp', 'grace'],
  ])('calls a closed MCP server in the era %s', async (era, scopes, name) => {
    await show('mcp');
    await page.getByRole('combobox', { name: 'server' }).selectOption('/closed/mcp');
    await page.getByRole('combobox', { name: 'protocol' }).selectOption(era);
    await page.getByLabel('anonymous').check();
    await page.getByRole('button', { name: /^Connect/ }).click();
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    await page.getByLabel('signed in').check();
    await page.getByLabel('subject').fill(name);
    await page.getByLabel('scopes').fill(scopes);
    await page.getByRole('button', { name: /^Connect/ }).click();
    await said('Connected');
    await page.getByRole('button', { name: /^whoami/ }).click();
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText(name).waitFor();
    await page.getByLabel('anonymous').check();
  });
});

describe('tables', () => {
  const item = (id: string) => ({ id: { S: id }, text: { S: 'Milk' }, token: { S: 'hunter2' } });
  const itemShown = (number: number) => page.getByRole('region', { name: `Item ${number}`, exact: true });

  beforeAll(async () => {
    await judged.host.state.get(tables).endpoint();
    const config = clientConfig(judged.host, judged.host.keys);
    const dynamo = new DynamoDBClient(config);
    for (let at = 0; at < 105; at += 21) {
      const notes = Array.from({ length: 21 }, (_, index) => ({ PutRequest: { Item: item(`n-${at + index}`) } }));
      await dynamo.send(new BatchWriteItemCommand({ RequestItems: { notes } }));
    }
    const s3 = new S3Client({ ...config, forcePathStyle: true });
    await s3.send(new PutObjectCommand({ Bucket: 'uploads', Key: 'plans/a.txt', Body: 'a plan' }));
    put = (id) => dynamo.send(new PutItemCommand({ TableName: 'notes', Item: item(id) }));
  });
  let put: (id: string) => Promise<unknown>;

  it('are read page by page, and again, by keyboard alone', async () => {
    await leaveFields();
    await press('4');
    const names = (await judged.host.state.get(tables).list()).map(({ name }) => name);
    const table = page.getByRole('region', { name: 'Table notes' });
    await table.waitFor();
    for (const _ of names.slice(0, names.indexOf('notes'))) await press('j');
    await table.getByText('105 items').waitFor();
    await itemShown(100).waitFor();
    expect(await itemShown(101).count()).toBe(0);
    await press('m');
    await itemShown(105).waitFor();
    expect(await itemShown(1).textContent()).toContain('"S": "Milk"');
    expect(await page.getByText('hunter2').count()).toBe(0);
    await put('n-new');
    await press('u');
    await table.getByText('106 items').waitFor();
    await itemShown(101).waitFor({ state: 'detached' });
    await press('m');
    await itemShown(106).waitFor();
    await page.getByRole('region', { name: 'Bucket uploads' }).getByText('plans/a.txt').waitFor();
    expect(await actionsWithoutKey()).toEqual([]);
    await picture('table');
  });

  it.each(['light', 'dark'] as const)('axe finds nothing in a table with items, in %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    expect(await findViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('send a change to the function by their stream', async () => {
    await put('n-streamed');
    await show('invocations');
    await page.getByRole('searchbox', { name: 'Filter' }).fill('table-stream notes ok');
    // Nothing is chosen: the newest is shown.
    await page.getByRole('region', { name: 'Event', exact: true }).getByText('"n-streamed"').first().waitFor();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('');
  });
});

it('replays an invocation, saves it, and replays the recording with the same answer', async () => {
  await show('invocations');
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.fill('/notes/7');
  await line('gateway-v2', 'GET /notes/7').click();
  await filter.fill('');
  await page.getByRole('button', { name: /^Replay/ }).click();
  await page.getByRole('heading', { name: 'GET /notes/7' }).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await said(/^Saved .*gateway-v2/);
  await show('recordings');
  await page
    .getByRole('button', { name: /^Replay/ })
    .first()
    .click();
  await page.getByText('the same response').waitFor();
});

it('edits an event and sends it again, with the values that the page does not show', async () => {
  const before = judged.host.journal.ids().length;
  const event = { kind: 'edit', token: 'hunter2hunter2', n: 1 };
  await invokeByHand(event);
  await show('invocations');
  await line('edit', 'first').click();
  await page.getByRole('button', { name: /^Edit/ }).click();
  await page.getByText('change it and send it again').waitFor();
  const editor = page.getByRole('textbox', { name: 'event' });
  expect(await editor.textContent()).toContain('[REDACTED]');
  await editor.fill('{"kind":"edit","token":"[REDACTED]","n":2}');
  await page.getByRole('button', { name: /^Send/ }).click();
  await page.getByRole('status').filter({ hasText: 'Sent' }).waitFor();
  const { journal } = judged.host;
  expect(journal.ids()).toHaveLength(before + 2);
  expect(journal.rawEvent(journal.ids().at(-1) ?? 0)).toEqual({ kind: 'edit', token: 'hunter2hunter2', n: 2 });
});

/** An invocation whose event no form makes. */
function invokeByHand(event: object): Promise<unknown> {
  return judged.host.invoker.invoke(event, { origin: { kind: 'edit', target: 'first' }, whenBusy: 'refuse' });
}

it('compares two invocations: ids and times do not count', async () => {
  await invokeByHand({ n: 1, at: '2026-11-28T10:00:00Z' });
  await invokeByHand({ n: 2, at: '2026-11-28T11:00:00Z' });
  await show('invocations');
  // The two of this test, and the one of the test before.
  const rows = page.getByRole('option').filter({ hasText: 'edit' }).filter({ hasText: 'first' });
  await rows.nth(2).waitFor();
  await rows.first().click();
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption({ index: 1 });
  const comparison = page.getByRole('region', { name: 'Comparison' });
  await comparison.getByText('event.n').waitFor();
  expect(await comparison.getByText('event.at').count()).toBe(0);
  await expectAccessible(page);
});

/** Presses keys, one after the other. */
async function press(...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Letters are keys of the page only if no field has the focus. A string, because these tests are compiled without the DOM types. */
const leaveFields = () => page.evaluate('document.activeElement?.blur?.()');

/** Buttons without a key, and buttons whose key is not in the help. */
async function actionsWithoutKey(): Promise<readonly string[]> {
  const actions = (await page.evaluate(
    `[...document.querySelectorAll('main button.action')].map((one) => [one.textContent, one.ariaKeyShortcuts ?? one.getAttribute('aria-keyshortcuts') ?? ''])`,
  )) as readonly (readonly [text: string, key: string])[];
  await leaveFields();
  await press('Shift+?');
  const known = await page.getByRole('dialog').locator('kbd').allTextContents();
  await press('Escape');
  return actions.filter(([, key]) => !known.includes(key)).map(([text]) => text);
}

it('can be used by keyboard alone', async () => {
  await leaveFields();
  const isFocused = (role: 'combobox' | 'searchbox', name: string) =>
    page.getByRole(role, { name }).and(page.locator(':focus')).waitFor();
  await press('s');
  await page.getByRole('combobox', { name: 'what' }).waitFor();
  await press('e');
  await isFocused('combobox', 'what');
  await page.keyboard.type('Topic');
  await page.getByRole('combobox', { name: 'topic' }).waitFor();
  await press('Tab', 'Control+a');
  await page.keyboard.type('news');
  await press('Control+Enter');
  await said('Sent');
  await press('Escape', '1');
  await page.getByRole('searchbox', { name: 'Filter' }).waitFor();
  await press('/');
  await isFocused('searchbox', 'Filter');
  await page.keyboard.type('topic news ok');
  await press('Escape', 'j', 'k');
  const heading = page.getByRole('heading', { name: /topic/ });
  await heading.waitFor();
  await press('w');
  await said(/^Saved .*topic/);
  await press('r');
  await said(/^Replayed #/);
  await page.getByRole('option', { selected: true }).filter({ hasText: 'topic' }).waitFor();
  await press('/', 'Control+a', 'Delete', 'Escape', '8');
  await page.getByRole('heading', { name: /^Recordings/ }).waitFor();
  // The heading is there before the list is read.
  await page.getByRole('button', { name: /^Look/ }).first().waitFor();
  await press('j', 'l');
  await page.getByRole('region', { name: /^Recording/ }).waitFor();
  await press('Shift+?');
  await page.getByRole('dialog').getByText('Replay the recording').waitFor();
  await press('Escape', '3');
  await page.getByRole('heading', { name: /^Queues/ }).waitFor();
});

describe('by keyboard alone', () => {
  beforeEach(leaveFields);
  const copied = () => page.evaluate('navigator.clipboard.readText()');

  it.each(['invocations', 'triggers', 'send', 'api', 'recordings'])(
    'each action of %s has a key, and the help names it',
    async (view) => {
      await show(view);
      await page
        .getByText(/(?:being read|being built)\.$/)
        .first()
        .waitFor({ state: 'detached' });
      expect(await actionsWithoutKey()).toEqual([]);
    },
  );

  it('copies addresses and lines of triggers, and opens the form of a trigger', async () => {
    await press('2');
    await page.getByRole('heading', { name: /^Routes/ }).waitFor();
    await press('y');
    await said('Copied the address of HTTP API');
    const api = `http://127.0.0.1:${judged.host.ports['gateway-v2']}`;
    expect(await copied()).toBe(api);
    // The AWS port is the last of the six doors that are open.
    await press('j', 'j', 'j', 'j', 'j', 'j');
    await press('l', 'j', 'y');
    await said('Copied the line gateway-v2 for GET /notes/{id}');
    expect(await copied()).toBe(`curl -X GET '${api}/notes/{id}'`);
    await press('k', 'l', 's');
    await page.getByRole('combobox', { name: 'method and path' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'method and path' }).inputValue()).toBe('GET /notes/{id}');
  });

  it('runs a schedule, and changes the speed of waits', async () => {
    await press('3');
    await page.getByRole('heading', { name: /^Queues/ }).waitFor();
    await press(...Array(40).fill('k'));
    const schedule = page.getByRole('region', { name: 'schedule nightly' });
    // The number of records before it depends on the earlier tests.
    for (let step = 0; step < 40 && (await schedule.getAttribute('aria-current')) === null; step += 1) await press('j');
    await press('f');
    await said('nightly runs');
    await press('+');
    await said('Waits are 2 times shorter');
    await page.getByText('Waits are 2 times shorter.').waitFor();
    await press('-');
    await said('Waits are in real time');
  });

  it('looks into an operation of the OpenAPI document, copies the document, and sends', async () => {
    await press('7');
    await page.getByRole('heading', { name: /OpenAPI 3/ }).waitFor();
    await press('y');
    await said('Copied the document');
    expect(JSON.parse(String(await copied()))).toMatchObject({ openapi: expect.stringMatching(/^3\./) });
    await press('j', 'k', 'l');
    await page.locator('details[open]').waitFor();
    await press('s');
    await page.getByRole('combobox', { name: 'what' }).waitFor();
  });

  it('selects the sender', async () => {
    await press('5');
    await page.getByRole('combobox', { name: 'what' }).waitFor();
    await press('a');
    await page.getByLabel('anonymous').and(page.locator(':focus')).waitFor();
    await press('ArrowDown');
    await page.getByLabel('subject').waitFor();
    await press('ArrowUp');
    await page.getByLabel('subject').waitFor({ state: 'detached' });
  });
});

describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
  let watched: WatchedPage;

  beforeAll(async () => {
    watched = scheme === 'light' ? light : await openPage(browser, judged.address, scheme);
  });

  it.each(['invocations', 'triggers', 'queues', 'tables', 'send', 'mcp', 'api', 'recordings'])(
    'axe finds nothing in %s',
    async (view) => {
      await watched.page.locator(`nav a[href="#/${view}"]`).click();
      await watched.page
        .getByText(/(?:being read|being built)\.$/)
        .first()
        .waitFor({ state: 'detached' });
      expect(await findViolations(watched.page)).toEqual([]);
      if (HAS_PICTURES) await watched.page.screenshot({ path: `${PICTURES}/${view}-${scheme}.png` });
    },
  );

  it('the browser reported no error and no warning', () => {
    expect(watched.problems).toEqual([]);
  });
});

it('forbids code that is made from text, and removes its token from the address', async () => {
  expect(new URL(page.url()).hash).not.toContain('token');
  // Later than the browser's own call, to which the policy does not apply.
  const made = await page.evaluate(
    () =>
      new Promise((resolve) => {
        setTimeout(() => {
          try {
            resolve(new Function('return 1')());
          } catch (error) {
            resolve((error as Error).name);
          }
        }, 0);
      }),
  );
  expect(made).toBe('EvalError');
  expect(light.problems.join()).toContain('TrustedScript');
});

it('shows no page without the token', async () => {
  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(judged.address.replace(/#.*/, ''));
  await stranger.getByText('This page has no token').waitFor();
  await context.close();
});

/** A picture of the page as it is now, in both schemes, for the documentation. */
async function picture(name: string): Promise<void> {
  if (!HAS_PICTURES) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

it('only the visible rows of a long list exist', async () => {
  await show('invocations');
  await page.getByRole('searchbox', { name: 'Filter' }).fill('');
  const { journal } = judged.host;
  for (let count = 0; count < 900; count += 1) {
    const own = { requestId: `many-${count}`, traceId: `many-${count}`, segment: `many-${count}` };
    journal.update(journal.open({ ...own, origin: { kind: 'many', target: `row ${count}` }, event: {} }), {
      status: 'ok',
    });
  }
  await line('many', 'row 899').waitFor();
  expect(await page.getByRole('option').count()).toBeLessThan(80);
  const last = page.getByRole('option').filter({ hasText: 'row 100' });
  expect(await last.count()).toBe(0);
  await page.getByRole('searchbox', { name: 'Filter' }).fill('many');
  await page.getByText(/^900 of /).waitFor();
  await page.evaluate("document.querySelector('[role=listbox]').scrollTop = 28 * 799");
  await last.waitFor();
  await page.getByRole('searchbox', { name: 'Filter' }).fill('');
});

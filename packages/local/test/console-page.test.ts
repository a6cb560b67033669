import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, findViolations, launchBrowser, type Page } from '@sallyport/browser';
import { type Judged, openPage, startJudged, type WatchedPage } from './support/judged.js';

/** A slow machine is no fault; what never comes is. */
import.meta.jest.setTimeout(120_000);

/** Pictures for docs/local.md; not kept in the repository. */
const PICTURES = fileURLToPath(new URL('../../../docs/images/local', import.meta.url));

let browser: Browser;
let judged: Judged;
let light: WatchedPage;
let page: Page;

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  [browser, judged] = await Promise.all([launchBrowser(), startJudged()]);
  light = await openPage(browser, judged.address, 'light');
  ({ page } = light);
});

afterAll(async () => {
  await browser?.close();
  await judged?.stop();
});

const show = (view: string) => page.locator(`nav a[href="#/${view}"]`).click();
const said = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
/** The first line of the list with this trigger and target. */
const line = (trigger: string, target: string) =>
  page.getByRole('option').filter({ hasText: trigger }).filter({ hasText: target }).first();

/** Fills the form of a kind, and leaves it to be sent. */
async function fillForm(kind: string, target: string, json: Readonly<Record<string, string>> = {}): Promise<void> {
  await show('send');
  const form = page.getByRole('region', { name: 'What to send' });
  await form.getByRole('combobox', { name: 'what' }).selectOption(kind);
  if (target !== '') await form.locator('input[list]').fill(target);
  for (const [name, text] of Object.entries(json))
    await form.getByRole('textbox', { name: new RegExp(`^${name}\\b`) }).fill(text);
}

async function send(kind: string, target: string, json: Readonly<Record<string, string>> = {}): Promise<void> {
  await fillForm(kind, target, json);
  await page.getByRole('button', { name: /^Send/ }).click();
  await said('Sent');
}

describe('every kind is sent from its form, and its invocation is seen', () => {
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
  ])('%s %s', async (kind, target, json, trigger, shown, result) => {
    await send(kind, target, json);
    await show('invocations');
    await line(trigger, shown).filter({ hasText: result }).waitFor();
  });
});

it('shows one request through four doors beside each other, and a caller that is nobody', async () => {
  await fillForm('http', 'POST /orders', { json: '{}' });
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
  await page.getByText('Row 1 of').waitFor();
  await page.getByLabel('an agent').check();
  await page.getByLabel('tool').fill('notes___add');
  await page.getByRole('button', { name: /^Preview/ }).click();
  await page.getByText('no adapter for').first().waitFor();
  await page.getByLabel('the service').check();
});

it('shows a failure with its error, and a timer that was left behind', async () => {
  await send('http', 'GET /boom');
  await send('http', 'GET /later');
  await show('invocations');
  await line('gateway-v2', 'GET /later').click();
  await page.getByText('Timeout', { exact: true }).waitFor();
  await line('gateway-v2', 'GET /boom').filter({ hasText: '500' }).click();
  await page.getByRole('tab', { name: 'Client' }).click();
  await page.getByText('status 500').waitFor();
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
  await page.getByText('given up after 2 deliveries').waitFor();
  await page.getByRole('button', { name: /^Look/ }).first().click();
  await page
    .getByRole('region', { name: /^Record/ })
    .getByText('bad')
    .waitFor();
  await picture('dead-letter');
  const before = await page.getByText(/^built /).textContent();
  judged.correct();
  await page
    .getByText(/^built /)
    .filter({ hasNotText: before ?? '' })
    .waitFor();
  await page.getByRole('button', { name: /^Send back/ }).click();
  await said('is back in its source');
  await page.getByText('given up after 2 deliveries').waitFor({ state: 'detached' });
  await show('invocations');
  await line('queue', 'orders').filter({ hasText: 'ok' }).waitFor();
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

  it('answers what a tool asks', async () => {
    await connect('stateless');
    await page.getByRole('button', { name: /^greet/ }).click();
    await page.getByRole('textbox', { name: 'arguments' }).fill('{"greeting":"Hello"}');
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByLabel('answer as JSON').fill('{"name":"Ada"}');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await answered('Hello Ada');
  });
});

it('replays an invocation, saves it, and replays the recording with the same answer', async () => {
  await show('invocations');
  await line('gateway-v2', 'GET /notes/7').click();
  await page.getByRole('button', { name: /^Replay/ }).click();
  await page.getByRole('heading', { name: 'GET /notes/7' }).waitFor();
  await page.getByRole('button', { name: /^Save/ }).click();
  await said(/^Saved .*gateway-v2/);
  await show('recordings');
  await page
    .getByRole('button', { name: /^Replay/ })
    .first()
    .click();
  await page.getByText('the same answer').waitFor();
});

it('does all of it by keyboard alone', async () => {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  // As text: these tests are compiled without the types of a page.
  await page.evaluate('document.activeElement?.blur?.()');
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
  await page.getByRole('option', { selected: true }).filter({ hasText: 'topic' }).waitFor();
  await press('/', 'Control+a', 'Delete', 'Escape', '8');
  await page.getByRole('heading', { name: /^Recordings/ }).waitFor();
  await press('j', 'l');
  await page.getByRole('region', { name: /^Recording/ }).waitFor();
  await press('Shift+?');
  await page.getByRole('dialog').getByText('Replay the recording').waitFor();
  await press('Escape', '3');
  await page.getByRole('heading', { name: /^Queues/ }).waitFor();
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
      await watched.page.getByText(/(?:being read|being built)\.$/).waitFor({ state: 'detached' });
      expect(await findViolations(watched.page)).toEqual([]);
      await watched.page.screenshot({ path: `${PICTURES}/${view}-${scheme}.png` });
    },
  );

  it('the browser had nothing to complain about', () => {
    expect(watched.problems).toEqual([]);
  });
});

it('lets nothing make code from text, and keeps its token out of the address', async () => {
  expect(new URL(page.url()).hash).not.toContain('token');
  const { page: fresh, problems } = await openPage(browser, judged.address, 'light');
  // Later than the browser's own call, to which the policy does not apply.
  const made = await fresh.evaluate(
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
  expect(problems.join()).toContain('TrustedScript');
});

it('shows no page without the token', async () => {
  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(judged.address.replace(/#.*/, ''));
  await stranger.getByText('This page has no token').waitFor();
  await context.close();
});

/** A picture of the page as it is now, in both schemes. */
async function picture(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

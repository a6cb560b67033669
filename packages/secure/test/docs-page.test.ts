/** The page of `docsPage`: its readers, its content, and its only requests. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, findViolations, launchBrowser, type Page } from '@sallyport/browser';
import { bind } from '@sallyport/http';
import { buildLambdaFunctionURLRequest } from '@sallyport/testkit/events';
import { z } from 'zod';
import { docsPage } from '../src/docs.js';
import { Authenticated, type Posture, SecureApp } from '../src/index.js';

const Note = z.object({ id: z.string(), title: z.string() }).meta({ id: 'Note' });

/** Callers are known by a cookie, as browsers send it; its value is the list of scopes. */
function start(options: Partial<Parameters<typeof docsPage>[0]> = {}) {
  const app = new SecureApp({
    log: false,
    principalResolver: (ctx) => {
      const scopes = ctx.cookie('session');
      return scopes === undefined ? null : { identity: 'ada', scopes: scopes.split('+') };
    },
  });
  app.get(
    '/notes/{id}',
    bind({ response: Note }, () => ({ id: 'n1', title: '' })),
    Authenticated('notes:read'),
    {
      summary: 'Reads a <note> & "more".',
    },
  );
  docsPage({ posture: Authenticated('docs:read'), ...options }).mount(app);
  app.post(
    '/notes',
    bind({ body: Note, query: z.object({ draft: z.string().optional() }) }, () => ({})),
    Authenticated(),
  );
  const get = async (path: string, session?: string) => {
    const headers = session === undefined ? {} : { cookie: `session=${session}` };
    const event = buildLambdaFunctionURLRequest('GET', path, { headers });
    const answer = (await app.handleLambda(event)) as {
      statusCode: number;
      headers: Readonly<Record<string, string>>;
      body: string;
    };
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  };
  return { app, get };
}

describe('without a browser', () => {
  test.each([
    ['/docs', undefined, 401],
    ['/docs/openapi.json', undefined, 401],
    ['/docs', 'notes:read', 403],
    ['/docs/openapi.json', 'notes:read', 403],
    ['/docs', 'docs:read', 200],
    ['/docs/openapi.json', 'docs:read', 200],
  ])('%s of a caller with the scopes %j is answered with %i', async (path, session, status) => {
    const found = await start().get(path, session);
    expect(found.status).toBe(status);
    if (status !== 200) expect(found.body).not.toContain('/notes');
  });

  test.each([
    [{}, 'posture'],
    [{ posture: 'public' }, 'posture'],
    [{ posture: Authenticated(), path: '/docs/' }, 'path'],
    [{ posture: Authenticated(), path: '/{id}' }, 'path'],
    [{ posture: Authenticated(), document: '{}' }, 'document'],
    [{ posture: Authenticated(), postures: 1 }, 'postures'],
  ])('the options %j are rejected: %s', (options, name) => {
    expect(() => docsPage(options as { posture: Posture })).toThrow(
      expect.objectContaining({ code: 'app.invalid_configuration', message: expect.stringContaining(`"${name}"`) }),
    );
  });

  test('the document has every operation with its posture, even an operation that was registered later', async () => {
    const { body } = await start({ title: 'Notes', version: '1.2' }).get('/docs/openapi.json', 'docs:read');
    const document = JSON.parse(body);
    expect(document.info).toEqual({ title: 'Notes', version: '1.2' });
    expect(Object.keys(document.paths)).toEqual(['/docs', '/docs/openapi.json', '/notes', '/notes/{id}']);
    expect(document.paths['/notes/{id}'].get).toMatchObject({
      summary: 'Reads a <note> & "more".',
      'x-framework-auth-posture': 'authenticated',
      'x-framework-required-scopes': ['notes:read'],
    });
  });

  test('a given document is shown, and its text cannot become markup', async () => {
    const paths = {
      '/a"><script>': { get: { summary: '<img src=x>', responses: { 200: { description: "'</pre>" } } } },
    };
    const document = { openapi: '3.1.0', info: { title: '</title><script>', version: '1' }, paths };
    const { get } = start({ document, path: '/internal/docs' });
    const { body } = await get('/internal/docs', 'docs:read');
    expect(body).toContain('&#60;img src=x&#62;');
    expect(body).toContain('href="docs/openapi.json"');
    expect(body).not.toMatch(/<script|<img|'<\/pre>/);
    expect(JSON.parse((await get('/internal/docs/openapi.json', 'docs:read')).body)).toEqual(document);
  });

  test('a document is read once', async () => {
    let reads = 0;
    const document = {
      get paths() {
        reads += 1;
        return {};
      },
    };
    const { get } = start({ document });
    await get('/docs', 'docs:read');
    const before = reads;
    expect((await get('/docs', 'docs:read')).status).toBe(200);
    expect([reads, before > 0]).toEqual([before, true]);
  });

  test('the policy allows only the style of the page', async () => {
    const { headers } = await start().get('/docs', 'docs:read');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('in a browser', () => {
  let server: Server;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  const requested: string[] = [];

  beforeAll(async () => {
    const { get } = start({ title: 'Notes' });
    // Under a stage, as in a REST API: links must not leave it.
    server = createServer(async (request, response) => {
      if (request.url === '/favicon.ico') return void response.writeHead(204).end();
      const session = /session=([^;]*)/.exec(request.headers.cookie ?? '')?.[1];
      const found = await get((request.url ?? '').replace(/^\/prod/, ''), session);
      response.writeHead(found.status, found.headers).end(found.body);
    }).listen(0, '127.0.0.1');
    [browser] = await Promise.all([launchBrowser(), once(server, 'listening')]);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addCookies([{ name: 'session', value: 'docs:read', url }]);
    page = await context.newPage();
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('request', (request) => requested.push(request.url().replace(url, '')));
    await page.goto(`${url}/prod/docs`);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  test('keys alone open an operation, which is closed at first, and reach its schema', async () => {
    const read = page.locator('details').filter({ hasText: '/notes/{id}' }).first();
    expect(await read.getAttribute('open')).toBeNull();
    await page.locator('a').focus();
    // The operations are sorted by path: /docs, /docs/openapi.json, /notes, /notes/{id}.
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await read.getByText('Callers: authenticated with notes:read').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('region', { name: 'Answer 200 of GET /notes/{id}' }).and(page.locator(':focus')).waitFor();
  });

  test.each([
    [1280, 'light'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('at %i px in %s axe finds nothing, and the page is not wider', async (width, colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  });

  test('the link opens the document, and the browser requested only these two', async () => {
    await page.getByRole('link', { name: 'OpenAPI document' }).click();
    await page.waitForURL('**/prod/docs/openapi.json');
    expect(requested.filter((path) => path !== '/favicon.ico')).toEqual(['/prod/docs', '/prod/docs/openapi.json']);
    expect(problems).toEqual([]);
  });
});

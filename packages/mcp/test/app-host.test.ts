import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, launchBrowser, type Page } from '@sallyport/browser';
import { openDoor } from '@sallyport/oauth-lab';
import { Optional, SecureApp } from '@sallyport/secure';
import { build } from 'esbuild';
import { type AppHost, startAppHost } from '../judge/app-host/serve.js';
import { createMcpServer, mcpCors, mountMcp } from '../src/index.js';

/** A slow machine must not fail a test; a missing element must. */

const UNPKG = 'https://unpkg.com';
const LIBRARY = `${UNPKG}/@modelcontextprotocol/ext-apps@2.0.4/dist/src/app-with-deps.js`;
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

type Door = Awaited<ReturnType<typeof openDoor>>;

let browser: Browser;
let host: AppHost;
const doors: Door[] = [];

beforeAll(async () => {
  [browser, host] = await Promise.all([launchBrowser(), startAppHost()]);
});
afterAll(async () => {
  await browser?.close();
  host?.stop();
  await Promise.all(doors.map((door) => door.close()));
});

async function serve(handler: unknown): Promise<Door> {
  const door = await openDoor('gateway v2');
  door.handler = handler as NonNullable<Door['handler']>;
  doors.push(door);
  return door;
}

/** The page of the host. The library of the app comes from the installed package, at its address of a public network. */
async function openHost(): Promise<Page> {
  const page = await browser.newPage();
  const path = createRequire(import.meta.url).resolve('@modelcontextprotocol/ext-apps/app-with-deps');
  const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' };
  await page.route(LIBRARY, (route) => route.fulfill({ body: readFileSync(path), headers }));
  await page.goto(host.origin);
  return page;
}

interface Shown {
  readonly content: { readonly mimeType: string; readonly _meta: object };
  readonly allow: string;
  readonly forModels: readonly string[];
  readonly app: { readonly name: string };
  readonly declared: object;
}

async function show(page: Page, door: Door, tool: string, options: object = {}) {
  const given = { url: `${door.origin}/mcp`, sandboxOrigin: host.sandboxOrigin, tool, ...options };
  const shown = (await page.evaluate(`openApp(${JSON.stringify(given)})`)) as Shown;
  const view = page.frameLocator('iframe').frameLocator('iframe');
  const frame = page.frames().at(-1);
  /** Runs code in the app. */
  const run = (code: string) => frame?.evaluate(code) as Promise<unknown>;
  return { shown, view, run };
}

/** The function of the README's section about apps, for the origin of this host, and for callers without a token. */
async function importExample(): Promise<unknown> {
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  const block = readme.split('\n## Apps\n')[1]?.split('```ts\n')[1]?.split('```\n')[0] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'app-example-'));
  const outfile = join(folder, 'example.mjs');
  try {
    await build({
      stdin: {
        contents: block
          .replace('https://host.example', host.origin)
          .replace('import { Authenticated,', 'import { Public,')
          .replace("Authenticated('mcp')", 'Public()'),
        resolveDir: join(PACKAGE, 'test'),
        loader: 'ts',
      },
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', conditions: ['@sallyport/source'] },
    });
    return ((await import(pathToFileURL(outfile).href)) as { handler: unknown }).handler;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.each(['auto', 'legacy'])('the example of the README in a host, mode %s', (mode) => {
  it('is shown with the result of its tool, and calls a tool', async () => {
    const door = await serve(await importExample());
    const page = await openHost();
    const { shown, view } = await show(page, door, 'show_notes', { mode });
    expect(shown.app).toMatchObject({ name: 'board' });
    expect(shown.content.mimeType).toBe('text/html;profile=mcp-app');
    expect(shown.content._meta).toEqual({ ui: { csp: { resourceDomains: [UNPKG] } } });
    expect(shown.declared).toEqual({ 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } });
    expect(shown.forModels).toEqual(['show_notes', 'delete_notes']);
    await view.getByText('bread').waitFor();
    await view.getByRole('button').click();
    await view.getByRole('listitem').filter({ hasText: 'milk' }).waitFor();
    expect(await view.getByRole('listitem').allTextContents()).toEqual(['bread', 'milk']);
    await page.close();
  });
});

describe('an app', () => {
  const calls: string[] = [];
  let page: Page;
  let door: Door;
  let declared: Door;
  let undeclared: Door;

  const PAGE = `<!doctype html><title>Probe</title><script type="module">
    import { App } from '${LIBRARY}';
    globalThis.app = new App({ name: 'probe', version: '1.0.0' });
    await app.connect();
    globalThis.call = (name) => app.callServerTool({ name, arguments: {} }).then(
      ({ isError, content }) => [isError ? 'error' : 'result', content[0].text], (error) => ['rejected', error.message]);
    globalThis.get = (url) => fetch(url).then(({ status }) => status, () => 'blocked');
  </script>`;

  beforeAll(async () => {
    const open = async () => ({ statusCode: 200, headers: { 'access-control-allow-origin': '*' }, body: '' });
    [declared, undeclared] = [await serve(open), await serve(open)];
    const server = createMcpServer({ name: 'probe', version: '1.0.0' });
    const note = (name: string) => () => {
      calls.push(name);
      return name;
    };
    const csp = { resourceDomains: [UNPKG], connectDomains: [declared.origin] };
    const permissions = { camera: {}, clipboardWrite: {} };
    server.app('ui://probe/page', { name: 'page', csp, permissions, prefersBorder: true }, PAGE);
    server.tool('show', { app: { uri: 'ui://probe/page' } }, note('show'));
    server.tool('plain', {}, note('plain'));
    server.tool('for_apps', { app: { visibility: ['app'] } }, note('for_apps'));
    server.tool('for_models', { app: { visibility: ['model'] } }, note('for_models'));
    server.tool('for_writers', { scopes: ['notes:write'] }, note('for_writers'));
    server.tool('for_nobody', { authorize: () => false }, note('for_nobody'));
    const app = new SecureApp({ cors: mcpCors([host.origin]), log: false });
    mountMcp(app, server, { posture: Optional(), allowedOrigins: [host.origin] });
    door = await serve(app.handleLambda);
    page = await openHost();
  });

  it('has the features, the border and the origins that it declares', async () => {
    const { shown } = await show(page, door, 'show');
    expect(shown.allow).toBe('camera; clipboard-write');
    expect(shown.content._meta).toEqual({
      ui: {
        csp: { resourceDomains: [UNPKG], connectDomains: [declared.origin] },
        permissions: { camera: {}, clipboardWrite: {} },
        prefersBorder: true,
      },
    });
  });

  it('reaches a declared origin, and no other', async () => {
    const { run } = await show(page, door, 'show');
    expect(await run(`get('${declared.origin}/')`)).toBe(200);
    expect(await run(`get('${undeclared.origin}/')`)).toBe('blocked');
    expect(undeclared.requests).toEqual([]);
  });

  it.each([
    ['plain', ['result', 'plain']],
    ['for_apps', ['result', 'for_apps']],
  ])('calls the tool %s', async (name, outcome) => {
    const { run } = await show(page, door, 'show');
    expect(await run(`call('${name}')`)).toEqual(outcome);
  });

  // A host without the check of visibility passes every call of an app on, and only the server can reject it.
  it.each([
    ['a tool for models', 'for_models', true, ['rejected', expect.stringContaining('may not call for_models')]],
    ['a tool that does not exist', 'missing', true, ['rejected', expect.stringContaining('may not call missing')]],
    ['a tool that is not listed for the caller', 'for_writers', true, ['rejected', expect.stringContaining('may not')]],
    ['a tool without the scope', 'for_writers', false, ['rejected', expect.stringContaining('app.forbidden')]],
    ['a tool that the server denies', 'for_nobody', false, ['error', expect.stringContaining('may not call')]],
    ['a tool that the server does not have', 'missing', false, ['rejected', 'Unknown tool']],
  ])('that calls %s is rejected', async (_, name, checksVisibility, outcome) => {
    const { run } = await show(page, door, 'show', { checksVisibility });
    calls.length = 0;
    expect(await run(`call('${name}')`)).toEqual(outcome);
    expect(calls).toEqual([]);
  });
});

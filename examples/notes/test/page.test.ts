/** The page in Chromium, served from another origin than the service, which `sallyport dev` runs. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, launchBrowser, type Page } from '@sallyport/browser';
import { LOCAL_COMMANDS } from '@sallyport/local/command';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('..', import.meta.url));
const end = new AbortController();
let ended: Promise<number> | undefined;
let pages: Server;
let browser: Browser;
let page: Page;
let api: string;
let token: string;

/** Runs a command of `sallyport` in this example; resolves with the first line that fits. */
async function command(name: string, args: readonly string[], line: RegExp): Promise<string> {
  let printed = '';
  const found = new Promise<string>((resolve, reject) => {
    const out = (text: string) => {
      printed += text;
      const match = line.exec(printed)?.[0];
      if (match !== undefined) resolve(match);
    };
    const around = { cwd: folder, environment: {}, out, err: out, input: async () => '', signal: end.signal };
    const running = LOCAL_COMMANDS[name]?.run(args, around);
    if (name === 'dev') ended = running;
    void running?.then((code) => reject(new Error(`${name} ended with ${code}: ${printed}`)));
  });
  return found;
}

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(import.meta.resolve('@sallyport/client'))],
    conditions: ['@sallyport/source'],
    bundle: true,
    write: false,
    format: 'esm',
  });
  const files: Readonly<Record<string, readonly [string, string]>> = {
    '/': ['text/html', readFileSync(new URL('../page/index.html', import.meta.url), 'utf8')],
    '/client.js': ['text/javascript', outputFiles[0]?.text ?? ''],
  };
  pages = createServer((request, response) => {
    const [type, text] = files[request.url ?? ''] ?? ['text/plain', ''];
    response.setHeader('content-type', type).end(text);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const flags = ['--port', '0', '--no-state', '--json', '--timeout', '55', '--env', `NOTES_PAGE_ORIGIN=${origin}`];
  const started = JSON.parse(await command('dev', flags, /^\{"type":"started".*\}$/m));
  api = `http://127.0.0.1:${started.ports['gateway-v2']}`;
  const scopes = ['--sub', 'ada', '--scope', 'notes:read', '--scope', 'notes:write'];
  token = JSON.parse(await command('token', [...scopes, '--json'], /^\{"type":"token".*\}$/m)).token;
  browser = await launchBrowser();
  page = await browser.newPage();
  await page.goto(origin);
});
afterAll(async () => {
  await browser?.close();
  end.abort();
  await ended;
  pages?.close();
});

const signIn = async (text: string) => {
  await page.getByLabel('Address').fill(api);
  await page.getByLabel('Token').fill(text);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

it('a token that is not valid shows the code of the error', async () => {
  await signIn('x');
  await page.getByText('app.unauthorized').waitFor();
});

it('a user sees the notes, adds one and removes it', async () => {
  await signIn(token);
  await page.getByText('Milk: one litre').waitFor();
  await page.getByLabel('Title').fill('<b>Tea</b>');
  await page.getByLabel('Text').fill('green & black');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByText('<b>Tea</b>: green & black').waitFor();
  await page.getByRole('button', { name: 'Remove <b>Tea</b>' }).click();
  await page.getByText('<b>Tea</b>: green & black').waitFor({ state: 'detached' });
  expect(await page.getByRole('listitem').allInnerTexts()).toEqual(['Milk: one litre Remove Milk']);
});

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, findViolations, type Page } from '@sallyport/browser';
import { loadConfig } from '../../src/internal/config/load.js';
import { type RunningHost, startHost } from '../../src/internal/host/create-host.js';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

/** The `sallyport.json` of the judged service. */
const SETTINGS = {
  queues: {
    orders: { visibilityTimeoutMs: 3_600_000, maxReceiveCount: 2 },
    'steps.fifo': { filters: [{ body: { skipped: [{ exists: false }] } }] },
  },
  topics: { news: { filterPolicyScope: 'MessageBody', filterPolicy: { skipped: [{ exists: false }] } } },
  buses: { default: { rules: [{ pattern: { detail: { skipped: [{ exists: false }] } } }] } },
  schedules: { nightly: { expression: 'rate(1 day)', input: { report: 'daily' } } },
  env: { ISSUER: '$issuer', JWKS_URI: '$jwks', AUDIENCE: '$audience' },
  tables: [
    {
      TableName: 'notes',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    },
  ],
  buckets: ['uploads'],
};

/** A run of the service that the judge of the console works with. */
export interface Judged {
  readonly host: RunningHost;
  readonly address: string;
  /** Saves the service without its fault. */
  correct(): void;
  stop(): Promise<void>;
}

/**
 * Starts the service as `sallyport dev` does, in a separate project. `host.state.get(tables).endpoint()` resolves when the tables are ready.
 *
 * @param file the service, in `test/functions`
 */
export async function startJudged(file = 'console.ts'): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-console-'));
  const entry = join(folder, 'lambda.ts');
  writeFileSync(join(folder, 'package.json'), '{ "name": "notes", "type": "module" }');
  writeFileSync(join(folder, 'sallyport.json'), JSON.stringify(SETTINGS));
  cpSync(join(PACKAGE, 'test', 'functions', file), entry);
  symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'));
  // The packages of the workspace are run from their sources, which are not built.
  const host = await startHost(loadConfig(folder, { entry: 'lambda.ts', port: 0, conditions: ['@sallyport/source'] }));
  return {
    host,
    address: `http://127.0.0.1:${host.ports.console}/#token=${host.token}`,
    correct: () =>
      writeFileSync(entry, readFileSync(entry, 'utf8').replace('IS_CORRECTED = false', 'IS_CORRECTED = true')),
    async stop() {
      await host.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A page that reports all its problems. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the browser's console, exceptions, violations of the policy. */
  readonly problems: string[];
}

/** Opens the console in the given colour scheme. */
export async function openPage(browser: Browser, address: string, colorScheme: 'light' | 'dark'): Promise<WatchedPage> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  context.setDefaultTimeout(Number(process.env.JUDGE_MS ?? 300_000));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('response', async (response) => {
    if (response.status() >= 400) problems.push(`${response.url()}: ${await response.text().catch(() => '')}`);
  });
  await page.goto(address);
  await page.getByText(/^built /).waitFor();
  return { page, problems };
}

/** Axe finds nothing, on a wide and on a narrow screen, and no view is wider than the narrow screen. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

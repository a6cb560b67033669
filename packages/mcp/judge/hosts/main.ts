// `npm run mcp:hosts`: what each client library can do with the judged server. Writes `hosts/results.json`, from which `npm run docs` makes
// the table of docs/mcp.md; ends with 1 if something fails that worked in the last run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { launchBrowser } from '@sallyport/browser';
import { APP_URI } from '../app-host/page.js';
import { startAppHost } from '../app-host/serve.js';
import { type ThirdPartyClient, ThirdPartyClients } from '../clients/third-party.js';
import { type DoorName, type OpenedDoor, openDoor } from '../doors.js';
import { type Host, hostsOf } from './rows.js';
import { startClosedServer } from './sign-in.js';

interface Cell {
  readonly works: boolean;
  readonly how: string;
}

interface Row {
  readonly package: string;
  readonly version: string;
  readonly mode?: string;
  /** `null` if the library has no such feature. */
  readonly cells: Readonly<Record<string, Cell | null>>;
}

interface Results {
  readonly date: string;
  readonly rows: readonly Row[];
}

/** The result of a probe: `undefined` if the library has no such feature. */
type Probed = Cell | undefined;

const PROBE_MS = 25_000;
/** A proxy can send the result before the last event. */
const PROGRESS_RUNS = 5;
const STREAMING: DoorName = 'function URL streaming';
const BUFFERED: DoorName = 'gateway v2';
const TEXT = 'This is a simple text response for testing.';

const others = new ThirdPartyClients();
const browser = await launchBrowser();
const appHost = await startAppHost();
const closed = await startClosedServer();
const streaming = await openDoor(STREAMING, { origins: [appHost.origin] });
const buffered = await openDoor(BUFFERED);

/** Columns of the table, in order. */
const PROBES: Readonly<Record<string, (host: Host) => Promise<Probed>>> = {
  signIn: async (host) => {
    const said = JSON.stringify(await host.signIn(closed.url, closed.person));
    return { works: said.includes('signed in as ada'), how: 'registers itself' };
  },
  questionStreaming: (host) => question(host, streaming),
  questionBuffered: (host) => question(host, buffered),
  progress: (host) =>
    using(host, streaming, async ({ progressOf }) => {
      if (!progressOf) return undefined;
      const counts: number[] = [];
      for (let run = 0; run < PROGRESS_RUNS; run += 1)
        counts.push((await progressOf('test_tool_with_progress')).length);
      return { works: Math.max(...counts) === 3, how: Math.min(...counts) === 3 ? 'all events' : 'some are lost' };
    }),
  resume: (host) =>
    using(host, buffered, async (client) => {
      const gets = () => buffered.requests.filter(({ method, status }) => method === 'GET' && status === 200).length;
      const before = gets();
      const said = JSON.stringify(await client.call('test_reconnection'));
      // The stateless era has no streams to resume: the whole call is one response.
      return { works: said.includes('Reconnection test'), how: gets() > before ? 'GET' : 'not needed' };
    }),
  task: async (host) => {
    if (!host.task) return undefined;
    const said = JSON.stringify(await host.task(streaming.url));
    return { works: said.includes('Computed x'), how: host.appMode ? 'ext-tasks' : 'own methods' };
  },
  app: (host) => (host.appMode ? shown(host.appMode) : readable(host)),
};

async function using(
  host: Host,
  { url }: OpenedDoor,
  run: (client: ThirdPartyClient) => Promise<Probed>,
): Promise<Probed> {
  const client = await host.connect(url.href);
  return run(client).finally(() => client.close());
}

/** Sends a question to the user; the requests show how the client received it. */
function question(host: Host, door: OpenedDoor): Promise<Probed> {
  return using(host, door, async (client) => {
    if (client.isSilent) return undefined;
    const { length } = door.requests;
    const said = JSON.stringify(await client.call('test_elicitation', { message: 'Who?' }));
    const requests = door.requests.slice(length);
    const isAnswered = requests.some(({ status }) => status === 202);
    const isResumed = requests.some(({ method, status }) => method === 'GET' && status === 200);
    const how = isResumed ? 'parked, GET' : isAnswered ? 'held' : '`input_required`';
    return { works: said.includes('ada'), how };
  });
}

/** Shows an app in Chromium with the published host code; the app calls a tool. */
async function shown(mode: NonNullable<Host['appMode']>): Promise<Probed> {
  const page = await browser.newPage();
  try {
    await page.goto(appHost.origin);
    const given = { url: streaming.url.href, sandboxOrigin: appHost.sandboxOrigin, tool: 'test_app', mode };
    await page.evaluate(`openApp(${JSON.stringify(given)})`);
    await page.frameLocator('iframe').frameLocator('iframe').getByText(TEXT).waitFor({ timeout: PROBE_MS });
    return { works: true, how: 'shown' };
  } finally {
    await page.close();
  }
}

/** The parts from which a host shows an app: the URI of the page in the list of tools, and the page. */
function readable(host: Host): Promise<Probed> {
  return using(host, streaming, async (client) => {
    const page = JSON.stringify(await client.read?.(APP_URI));
    if (!JSON.stringify(await client.list()).includes(APP_URI)) return { works: false, how: 'drops `_meta`' };
    return { works: page.includes('ui/initialize'), how: 'can be read' };
  });
}

async function probe(run: (host: Host) => Promise<Probed>, host: Host): Promise<Probed> {
  const timeout = new Promise<Probed>((resolve) => {
    setTimeout(() => resolve({ works: false, how: 'no answer' }), PROBE_MS).unref();
  });
  return Promise.race([run(host), timeout]).catch((error: unknown) => {
    process.stdout.write(`      ${String(error).slice(0, 300)}\n`);
    return { works: false, how: error instanceof Error ? firstWords(error.message) : 'failed' };
  });
}

const firstWords = (text: string) => text.split('\n', 1)[0]?.slice(0, 60) ?? '';

/** A row of the same library and mode, in an earlier run: versions with another first number are other libraries. */
const keyOf = ({ package: name, version, mode }: Row) => `${name} ${version.split('.', 1)} ${mode ?? ''}`;

const FILE = new URL('./results.json', import.meta.url);
const last = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Results) : { rows: [] };
const worked = new Map(last.rows.map((row) => [keyOf(row), row.cells]));
const rows: Row[] = [];
let missed = 0;
for (const host of hostsOf(others)) {
  const { package: name, version, mode } = host;
  process.stdout.write(`\n${name} ${version}${mode ? `, ${mode}` : ''}\n`);
  const cells: Record<string, Cell | null> = {};
  const row = { package: name, version, ...(mode && { mode }), cells };
  for (const [column, run] of Object.entries(PROBES)) {
    const cell = (await probe(run, host)) ?? null;
    cells[column] = cell;
    const isMissed = cell?.works === false && worked.get(keyOf(row))?.[column]?.works === true;
    if (isMissed) missed += 1;
    const mark = isMissed ? 'MISSED' : cell?.works ? 'ok    ' : cell ? 'no    ' : '–     ';
    process.stdout.write(`  ${mark} ${column}${cell ? `: ${cell.how}` : ''}\n`);
  }
  rows.push(row);
}
const violations = [...streaming.violations, ...buffered.violations];
process.stdout.write(`\nstore used after the response: ${violations.length} times\n`);

if (missed === 0) {
  const results: Results = { date: new Date().toISOString().slice(0, 10), rows };
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}
others.close();
appHost.stop();
await Promise.all([browser.close(), closed.close(), streaming.stop(), buffered.stop()]);
process.exit(missed + violations.length > 0 ? 1 : 0);

/**
 * Bundles the service as for a deployment, sends the bundle one event of every kind and front door from files in the form that AWS
 * sends, and prints the responses. Then an agent connects that is configured only with the URL. Exits with status 1 if a result is
 * unexpected.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { detect, explain } from '@sallyport/dispatch';
import { openDoor, startAuthorizationServer } from '@sallyport/oauth-lab';
import { build } from 'esbuild';
import { showAgent } from './agent.js';
import { type Case, cases } from './cases.js';
import { contains } from './contains.js';
import type { DemoConfig } from './entry.js';
import { printTable, type Row } from './table.js';

type Handler = (event: unknown, lambdaContext: unknown) => Promise<unknown>;

/** The tokens of callers: one for users and their applications, another for agents. */
interface Tokens {
  readonly person: string;
  readonly agent: string;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const CONTEXT = {
  awsRequestId: '8f507cfc-xmpl-4697-b07a-ac58fc914c95',
  functionName: 'notes',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:notes',
  memoryLimitInMB: '256',
  getRemainingTimeInMillis: () => 30_000,
};

/** One minified ESM file, as for a deployment. */
async function bundle(folder: string, config: DemoConfig): Promise<{ handler: Handler; bytes: number }> {
  const outfile = join(folder, 'lambda.mjs');
  await build({
    entryPoints: [join(here, 'entry.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    conditions: ['@sallyport/source'],
    external: ['@aws-sdk/*'],
    logLevel: 'error',
  });
  const { createHandler } = (await import(pathToFileURL(outfile).href)) as {
    createHandler: (config: DemoConfig) => Handler;
  };
  return { handler: createHandler(config), bytes: (await readFile(outfile)).byteLength };
}

async function feed(handler: Handler, testCase: Case, tokens: Tokens): Promise<Row> {
  const text = await readFile(join(here, 'events', `${testCase.file}.json`), 'utf8');
  const event: unknown = JSON.parse(
    text.replaceAll('{{token}}', tokens.person).replaceAll('{{agentToken}}', tokens.agent),
  );
  const kind = detect(event);
  const started = process.hrtime.bigint();
  const answer = await handler(event, CONTEXT);
  const micros = Number(process.hrtime.bigint() - started) / 1000;
  const { entrypoint, rows } = explain(event);
  const row = rows.findIndex(({ outcome }) => outcome === 'matched') + 1;
  const right = kind === testCase.kind && entrypoint === testCase.adapter && contains(answer, testCase.expect);
  if (!right) console.error(`${testCase.file}: expected ${JSON.stringify(testCase)}, got ${JSON.stringify(answer)}`);
  return {
    event: testCase.file,
    row: `${row} ${kind}`,
    adapter: entrypoint ?? '',
    answer: describe(answer),
    micros,
    right,
  };
}

/** A status, a batch report, or the payload in short. */
function describe(answer: unknown): string {
  const { statusCode, batchItemFailures } = (answer ?? {}) as { statusCode?: number; batchItemFailures?: unknown[] };
  if (statusCode !== undefined) return String(statusCode);
  if (batchItemFailures) return `${batchItemFailures.length} failed`;
  const text = JSON.stringify(answer);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

const folder = await mkdtemp(join(tmpdir(), 'sallyport-notes-'));
const door = await openDoor('gateway v2');
const publicUrl = door.origin;
const issuer = await startAuthorizationServer({
  resources: [`${publicUrl}/mcp`],
  scopes: ['notes:read', 'notes:write'],
});
try {
  const { handler, bytes } = await bundle(folder, { issuer: issuer.issuer, keysUrl: issuer.keysUrl, publicUrl });
  door.handler = handler;
  const claims = { sub: 'ada', scope: 'notes:read notes:write' };
  const tokens = { person: await issuer.sign(claims, 'notes'), agent: await issuer.sign(claims, `${publicUrl}/mcp`) };
  console.log(`examples/notes: one ESM file of ${Math.round(bytes / 1024)} KiB\n`);
  const rows: Row[] = [];
  for (const testCase of cases) rows.push(await feed(handler, testCase, tokens));
  printTable(rows);
  const wrong = rows.filter(({ right }) => !right).length;
  console.log(
    wrong === 0 ? `\nAll ${rows.length} answers are as expected.` : `\n${wrong} of ${rows.length} answers are wrong.`,
  );
  const found = await showAgent(publicUrl, issuer);
  if (!found) console.error('The requests of the agent are not as expected.');
  process.exitCode = wrong === 0 && found ? 0 : 1;
} finally {
  await Promise.all([door.close(), issuer.close()]);
  await rm(folder, { recursive: true, force: true });
}

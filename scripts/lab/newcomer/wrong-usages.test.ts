import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT, run } from '../../check/command.js';
import { packagePaths } from '../../check/gates/readmes.js';
import { compileBlocks } from '../../check/readme-blocks.js';
import { type Outcome, WRONG_USAGES, type WrongUsage } from './wrong-usages.js';

/** The names that the code of a row may use, by their entry. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  '@sallyport/dispatch/app': ['createApp'],
  '@sallyport/http': ['bind', 'json', 'min', 'text'],
  '@sallyport/jobs': ['createJobLedger', 'createMemoryJobLedger', 'idempotentHandler'],
  '@sallyport/mcp': ['createMcpServer', 'mountMcp'],
  '@sallyport/ratelimit': ['createDynamoRateLimiter', 'fixedWindow'],
  '@sallyport/secure': ['Authenticated', 'Public', 'SecureApp'],
  '@sallyport/secure/jwt': ['jwtPrincipalResolver'],
  '@sallyport/testkit': ['buildAPIGatewayV2Request', 'buildQueueEvent', 'createTestEnv', 'queue', 'simulate'],
  zod: ['z'],
};
const SETTING = `
type LambdaHandler = (event: unknown) => Promise<unknown>;
export const env = createTestEnv();
const options = env.options();
const app = new SecureApp(options);
const ok = () => json(200, 'ok');
const mcp = createMcpServer({ name: 'a', version: '1' });
const described = { title: 'T', version: '1', securitySchemes: {}, authSchemes: { authenticated: [], internalOnly: [] } };
const queueEvent = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:Stack-Orders-AB12', [{ body: 'x' }]);
/** A schema of zod 3.22, as far as bind reads it. */
const oldZod = { _def: { typeName: 'ZodObject' }, parse: (value: unknown) => value, spa: async () => ({ success: true }) };
const ordersEvent = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: 'x' }]);
export const request = buildAPIGatewayV2Request('GET', '/x');
const post = (to: SecureApp, value: unknown) => {
  const headers = { 'content-type': 'application/json' };
  return to.handleLambda(buildAPIGatewayV2Request('POST', '/x', { headers, body: JSON.stringify(value) }));
};
`;
const IMPORTS = Object.entries(ENTRIES).map(([entry, names]) => `import { ${names.join(', ')} } from '${entry}';\n`);
const moduleOf = ({ code }: WrongUsage): string =>
  `${IMPORTS.join('')}${SETTING}export async function mistake() {\n${code}\n}\n`;

/** Runs every row, each as a separate module, and prints the outcome. */
const DRIVER = `
const outcomes = [];
for (const file of process.argv.slice(2)) {
  const { env, mistake, request } = await import(file);
  const outcome = {};
  try {
    const given = await mistake();
    const answer = typeof given?.handleLambda === 'function' ? await given.handleLambda(request) : given;
    if (answer?.statusCode !== undefined) {
      const { statusCode, body } = answer;
      outcome.answers = [statusCode, statusCode < 400 ? body : JSON.parse(body).error.code];
    } else if (given !== undefined) outcome.gives = JSON.stringify(given);
  } catch (error) {
    outcome.throws = [error.code, error.message];
  }
  outcome.logs = env.records.logs.map((line) => [line.level, JSON.stringify(line)]);
  outcomes.push(outcome);
}
process.stdout.write(JSON.stringify(outcomes));
process.exit(0);
`;

interface Seen {
  readonly throws?: readonly [code: string, text: string];
  readonly answers?: readonly [status: number, body: string];
  readonly gives?: string;
  readonly logs: readonly (readonly [level: string, text: string])[];
}

async function runRows(): Promise<readonly Seen[]> {
  const folder = mkdtempSync(join(tmpdir(), 'wrong-usages-'));
  try {
    symlinkSync(join(ROOT, 'examples', 'notes', 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'driver.mjs'), DRIVER);
    const files = WRONG_USAGES.map((row, index) => {
      const file = join(folder, `row-${index}.ts`);
      writeFileSync(file, moduleOf(row));
      return file;
    });
    const tsx = join(ROOT, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs');
    const args = ['--conditions=@sallyport/source', '--import', tsx, join(folder, 'driver.mjs'), ...files];
    const { stdout, output } = await run(process.execPath, args);
    return JSON.parse(stdout === '' ? `[] ${output}` : stdout) as Seen[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The compiler's messages for each row, joined; line 1 of a row's module is line 1,000 times its place in the list. */
function compileRows(): readonly string[] {
  const blocks = WRONG_USAGES.map((row, index) => ({
    file: 'scripts/newcomer/rows.md',
    line: (index + 1) * 1000,
    code: moduleOf(row),
  }));
  const options = { root: ROOT, config: join(ROOT, 'tsconfig.check.json'), paths: packagePaths() };
  const said: string[] = WRONG_USAGES.map(() => '');
  for (const finding of compileBlocks(blocks, options)) {
    const index = Math.floor(Number(/:(\d+): /.exec(finding)?.[1]) / 1000) - 1;
    said[index] += `${finding.replace(/^[^ ]+ /, '')}\n`;
  }
  return said;
}

const seen = await runRows();
const said = compileRows();

const rows = WRONG_USAGES.map((row, index) => [row.no, row.code, row, index] as const);

it.each(rows)('%d. %s', (_no, _code, row, index) => {
  const { logs = [], ...outcome } = seen[index] ?? {};
  const text = row.throws?.[1];
  const expected: Outcome = {
    ...(row.throws && { throws: [row.throws[0], expect.stringContaining(text ?? '')] }),
    ...(row.answers && { answers: row.answers }),
    ...(row.gives !== undefined && { gives: row.gives }),
  };
  expect(outcome).toEqual(expected);
  if (row.logs) {
    const [level, part] = row.logs;
    expect(logs).toContainEqual([level, expect.stringContaining(part)]);
  }
  if (row.types === '') expect(said[index]).toBe('');
  else expect(said[index]).toContain(row.types);
});

it('all fifty are here', () => {
  const others = [27, 29];
  const numbers = new Set([...WRONG_USAGES.map(({ no }) => no), ...others]);
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
});

/** Runs code in a bundle next to which a package is missing, as in a function without `node_modules`. */
async function runWithout(missing: string, code: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'missing-package-'));
  try {
    const bundle = join(folder, 'bundle.mjs');
    await build({
      stdin: { contents: code, resolveDir: join(ROOT, 'examples', 'notes'), loader: 'ts' },
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@sallyport/source'],
      external: [missing],
    });
    return (await run(process.execPath, [bundle], folder)).output;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('27. jose is not installed: tokens are verified without it', async () => {
  const output = await runWithout(
    'jose',
    "import { jwtPrincipalResolver } from '@sallyport/secure/jwt'; console.log(jwtPrincipalResolver.name);",
  );
  expect(output).toContain('jwtPrincipalResolver');
});

it('29. the client of WebSocket connections is not installed: the first use says so', async () => {
  const output = await runWithout(
    '@aws-sdk/client-apigatewaymanagementapi',
    `import { createWebSocketClient } from '@sallyport/http/websocket';
     const client = createWebSocketClient('https://a.execute-api.eu-west-1.amazonaws.com/prod');
     client.getConnection('c').catch((error) => console.log(error.code, error.message));`,
  );
  expect(output).toContain('@aws-sdk/client-apigatewaymanagementapi');
});

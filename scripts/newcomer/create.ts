/**
 * `npm run test:create [-- template …]`: makes every kind of project with the archives that a release would publish, runs its own
 * `check` without a network, and the bundle under AWS's runtime client on each Node that Lambda offers. Needs the npm registry for the
 * binaries of Node, the first time.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { INFRAS, MANAGERS, TEMPLATES } from '../../packages/create-sallyport/src/internal/templates.js';
import { startRuntime } from '../../tools/lambda-runtime/src/index.js';
import { ROOT } from '../check/command.js';
import { nodeBinary } from '../node-versions.js';
import { packAll } from './archives.js';
import { generate, runOffline, unpack } from './generated.js';

const NODES = ['20.19.0', '22.23.3', '24.21.0'];

const place = mkdtempSync(join(tmpdir(), 'sallyport-create-'));
const archives = join(place, 'unpacked');
const wanted = process.argv.slice(2);
let failures = 0;

try {
  await unpack(await packAll(join(place, 'packed')), archives);
  const names = Object.keys(TEMPLATES).filter((name) => wanted.length === 0 || wanted.includes(name));
  for (const template of names) {
    for (const infra of INFRAS) {
      for (const manager of MANAGERS)
        await step(`${template}, ${infra}, ${manager}`, () => play(template, infra, manager));
    }
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.stdout.write(failures === 0 ? '\nevery project passes its check\n' : `\n${failures} projects failed\n`);
process.exitCode = failures === 0 ? 0 : 1;

async function step(name: string, act: () => Promise<string>): Promise<void> {
  const started = Date.now();
  const outcome = await act().then(
    (note) => `ok      ${name}: ${note}`,
    (error: Error) => {
      failures += 1;
      return `FAILED  ${name}\n${error.message}`;
    },
  );
  process.stdout.write(`${outcome}, ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

async function play(template: string, infra: string, manager: string): Promise<string> {
  const folder = join(place, [template, infra, manager].join('-'));
  mkdirSync(folder);
  const flags = ['--template', template, '--infra', infra, '--package-manager', manager];
  const project = await generate(archives, folder, flags);
  const checked = await runOffline(project, `env PATH=${withPnpm()}:$PATH ${manager} run check`);
  if (checked.status !== 0) throw new Error(checked.output);
  for (const version of NODES) await answer(join(project, 'dist', 'index.mjs'), template, version);
  return `check passes, the bundle answers on Node ${NODES.join(', ')}`;
}

/** A folder with the `pnpm` of the workspace. The packages are there already: it is not to install them again before each script. */
function withPnpm(): string {
  const folder = join(place, 'bin');
  mkdirSync(folder, { recursive: true });
  const run = `exec '${process.execPath}' '${join(ROOT, 'scripts', 'pnpm.mjs')}' --dir "$PWD" "$@"`;
  const script = `#!/bin/sh\nexport pnpm_config_verify_deps_before_run=false\n${run}\n`;
  writeFileSync(join(folder, 'pnpm'), script, { mode: 0o755 });
  return folder;
}

interface Case {
  readonly name: string;
  readonly event: unknown;
  /** Members of the answer. */
  readonly answer: object;
  /** A text in the answer. */
  readonly holds?: string;
}

/** What the bundle of a template has to answer: the cases of its parts. */
async function casesOf(template: string): Promise<readonly Case[]> {
  const folder = '../../packages/create-sallyport/templates';
  const { NOTES } = await import(`${folder}/notes/test/notes.cases.js`);
  const { ORDERS } = await import(`${folder}/orders/test/orders.cases.js`);
  const { BOOKS } = await import(`${folder}/books/test/books.cases.js`);
  const { CHAT } = await import(`${folder}/chat/test/chat.cases.js`);
  const { TOOLS } = await import(`${folder}/tools/test/tools.cases.js`);
  const full = [...NOTES, ...ORDERS, ...BOOKS, ...CHAT, ...TOOLS];
  return { api: NOTES, events: ORDERS, graphql: BOOKS, websocket: CHAT, mcp: TOOLS, full }[template] ?? [];
}

/** Lets AWS's client load the bundle and hand it one event of each kind. */
async function answer(bundle: string, template: string, version: string): Promise<void> {
  const runtime = await startRuntime({
    bundle,
    handler: 'handler',
    node: nodeBinary(version),
    nodeMajor: Number(version.split('.', 1)[0]),
  });
  try {
    for (const { name, event, answer: expected, holds = '' } of await casesOf(template)) {
      const { outcome, body, headers } = await runtime.invoke(event);
      const isStreamed = headers['content-type'] === 'application/vnd.awslambda.http-integration-response';
      const found = isStreamed ? readStreamed(body) : JSON.parse(body.toString('utf8'));
      if (outcome !== 'response' || !contains(found, expected) || !JSON.stringify(found).includes(holds)) {
        throw new Error(`Node ${version}, ${name}: ${outcome} ${body.toString('utf8')}\n${runtime.log}`);
      }
    }
  } finally {
    await runtime.stop();
  }
}

/** What a function URL makes of a streamed answer: its metadata, eight zero bytes, and the body. */
function readStreamed(answer: Buffer): object {
  const end = answer.indexOf(Buffer.alloc(8));
  const metadata = JSON.parse(answer.subarray(0, end).toString('utf8')) as object;
  return { ...metadata, body: answer.subarray(end + 8).toString('utf8') };
}

/** Whether a value has every member of another one, at every depth. */
function contains(found: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected))
    return isDeepStrictEqual(found, expected);
  if (typeof found !== 'object' || found === null) return false;
  const members = found as Readonly<Record<string, unknown>>;
  return Object.entries(expected).every(([key, value]) => contains(members[key], value));
}

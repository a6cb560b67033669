/**
 * `npm run test:create [-- template …]`: makes every kind of project with the archives that a release would publish, runs its own
 * `check` without a network, and the bundle under AWS's runtime client on each Node that Lambda offers. Needs the npm registry for the
 * binaries of Node, the first time.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INFRAS, MANAGERS, TEMPLATES } from '../../packages/create-sallyport/src/internal/templates.js';
import { startRuntime } from '../../tools/lambda-runtime/src/index.js';
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
  const checked = await runOffline(project, `env PATH=${withPnpm()}:$PATH npm run check`);
  if (checked.status !== 0) throw new Error(checked.output);
  for (const version of NODES) await answer(join(project, 'dist', 'index.mjs'), template, version);
  return `check passes, the bundle answers on Node ${NODES.join(', ')}`;
}

/** A folder with a `pnpm` that runs scripts as npm does: nothing is installed here, and only scripts are run. */
function withPnpm(): string {
  const folder = join(place, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pnpm'), '#!/bin/sh\nexec npm "$@"\n', { mode: 0o755 });
  return folder;
}

/** Lets AWS's client load the bundle and hand it one event of each kind. */
async function answer(bundle: string, template: string, version: string): Promise<void> {
  const { NOTES } = await import('../../packages/create-sallyport/templates/notes/test/notes.cases.js');
  const { ORDERS } = await import('../../packages/create-sallyport/templates/orders/test/orders.cases.js');
  const cases = { api: NOTES, events: ORDERS, full: [...NOTES, ...ORDERS] }[template] ?? [];
  const runtime = await startRuntime({
    bundle,
    handler: 'handler',
    node: nodeBinary(version),
    nodeMajor: Number(version.split('.', 1)[0]),
  });
  try {
    for (const { name, event, answer: expected } of cases) {
      const { outcome, body } = await runtime.invoke(event);
      const found = JSON.parse(body.toString('utf8')) as Readonly<Record<string, unknown>>;
      const isAsExpected = Object.entries(expected).every(([key, value]) => {
        return JSON.stringify(found[key]) === JSON.stringify(value);
      });
      if (outcome !== 'response' || !isAsExpected) {
        throw new Error(`Node ${version}, ${name}: ${outcome} ${body.toString('utf8')}\n${runtime.log}`);
      }
    }
  } finally {
    await runtime.stop();
  }
}

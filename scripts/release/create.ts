/**
 * `npm run test:create [-- template …]`: creates every kind of project with the archives that a release would publish, runs the project's
 * `check` without a network, and runs the bundle under AWS's runtime client on each Node that Lambda supports. Needs the npm registry for the
 * binaries of Node, the first time.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { INFRAS, TEMPLATES } from '../../packages/create-sallyport/src/internal/templates.js';
import { ROOT } from '../check/command.js';
import { answer } from './answers.js';
import { packAll } from './archives.js';
import { generate, runOffline, unpack } from './generated.js';

/** Without a registry yarn resolves nothing: `npm run release -- --dry` tries it with a registry on loopback. */
const MANAGERS = ['npm', 'pnpm'] as const;
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
  const artifact = infra === 'cdk' ? readArtifact(project) : join(project, 'dist');
  // Without other files, as on Lambda.
  const alone = join(folder, 'alone');
  cpSync(artifact, alone, { recursive: true });
  for (const version of NODES) await answer(join(alone, 'index.mjs'), template, version);
  return `check passes, the ${readdirSync(alone).length} files of the bundle answer on Node ${NODES.join(', ')}`;
}

/**
 * The folder with the code of the function in the assembly of a project.
 *
 * @throws Error if the assembly has another function or another asset, or the function loads another file than `index.mjs`
 */
function readArtifact(project: string): string {
  const assembly = join(project, 'cdk.out');
  const read = (end: string) => {
    const [file = ''] = readdirSync(assembly).filter((name) => name.endsWith(end));
    return JSON.parse(readFileSync(join(assembly, file), 'utf8')) as Readonly<Record<string, object>>;
  };
  const resources = Object.values(read('.template.json').Resources ?? {}) as readonly Resource[];
  const functions = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function').map((one) => one.Properties);
  // The function that sets the role of API Gateway has its code in the template.
  const handlers = functions.filter(({ Code }) => Code?.ZipFile === undefined).map(({ Handler }) => Handler);
  const assets = Object.values(read('.assets.json').files ?? {}) as readonly Asset[];
  const codes = assets.filter(({ source }) => source.packaging === 'zip').map(({ source }) => source.path);
  if (!isDeepStrictEqual([handlers, codes.length], [['index.handler'], 1])) {
    throw new Error(
      `functions with ${handlers.join(', ')} and ${codes.length} assets, expected one with index.handler and one`,
    );
  }
  return join(assembly, codes[0] ?? '');
}

interface Resource {
  readonly Type: string;
  readonly Properties: { readonly Handler?: string; readonly Code?: { readonly ZipFile?: string } };
}

interface Asset {
  readonly source: { readonly path: string; readonly packaging: string };
}

/** A folder with the `pnpm` of the workspace. The packages are already installed: it must not install them again before each script. */
function withPnpm(): string {
  const folder = join(place, 'bin');
  mkdirSync(folder, { recursive: true });
  const run = `exec '${process.execPath}' '${join(ROOT, 'scripts', 'pnpm.mjs')}' --dir "$PWD" "$@"`;
  const script = `#!/bin/sh\nexport pnpm_config_verify_deps_before_run=false\n${run}\n`;
  writeFileSync(join(folder, 'pnpm'), script, { mode: 0o755 });
  return folder;
}

import { type KnownReleases, runCommand } from '../src/internal/command.js';
import { contentOf, makeService, removeServices } from './support/service.js';

afterAll(removeServices);

/** Releases with planted renames: `limit` became `LIMIT` in 0.2, moved to another entry in 0.3, and `split` has no successor. */
const KNOWN: KnownReleases = {
  upgrades: [
    {
      release: '0.2',
      modules: { '@sallyport/core': { names: { limit: { module: '@sallyport/core', name: 'LIMIT' } } } },
    },
    {
      release: '0.3',
      modules: {
        '@sallyport/core': {
          names: { LIMIT: { module: '@sallyport/core/options' }, split: { manual: 'use String.prototype.split' } },
        },
      },
    },
  ],
  set: { release: '0.3', ranges: { '@sallyport/core': '^0.3.0', '@sallyport/http': '^0.5.0' } },
};

const SERVICE = {
  'a.ts': `import { limit } from '@sallyport/core';\nexport const most = limit;\n`,
  'package.json': `{\n  "dependencies": {\n    "@sallyport/http": "^0.4.0",\n    "@sallyport/core": "^0.1.0",\n    "zod": "^4.0.0"\n  }\n}\n`,
};
const RAISED = `{\n  "dependencies": {\n    "@sallyport/http": "^0.5.0",\n    "@sallyport/core": "^0.3.0",\n    "zod": "^4.0.0"\n  }\n}\n`;

function upgrade(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const root = makeService(files);
  let err = '';
  const streams = { out: () => undefined, err: (text: string) => (err += text) };
  const exitCode = runCommand(['-root', root, ...args], streams, KNOWN);
  return { exitCode, err, files: contentOf(root) };
}

it('follows a planted rename over two releases, and raises the ranges of all packages together', () => {
  const { exitCode, files } = upgrade(SERVICE, '--from', '0.1', '--to', '0.3', '-apply');
  expect([exitCode, files]).toEqual([
    0,
    {
      'a.ts': `import { LIMIT as limit } from '@sallyport/core/options';\nexport const most = limit;\n`,
      'package.json': RAISED,
    },
  ]);
});

it('keeps a rename of an earlier release, and lists a name without a successor', () => {
  const text = `import { LIMIT, limit, split } from '@sallyport/core';\nexport const all = [LIMIT, limit, split];\n`;
  const { exitCode, err, files } = upgrade({ 'a.ts': text }, '--from', '0.2', '--to', '0.3', '-apply');
  expect(exitCode).toBe(3);
  expect(err).toContain('use String.prototype.split');
  expect(files['a.ts']).toBe(
    `import { split } from '@sallyport/core';\nimport { LIMIT } from '@sallyport/core/options';\nimport { limit } from '@sallyport/core';\nexport const all = [LIMIT, limit, split];\n`,
  );
});

it.each([
  [['--from', '0.1'], 'belong together'],
  [['--from', '0.1', '--to', '0.3', '-rules', 'imports'], 'leave -map and -rules out'],
  [['--from', '0.1', '--to', '0.4'], '-to must be 0.3'],
  [['--from', '0.3', '--to', '0.3'], '-from must be before -to'],
  [['--from', 'main', '--to', '0.3'], '-from must be the number of a release'],
])('rejects %j: %s', (args, message) => {
  const { exitCode, err, files } = upgrade(SERVICE, ...args, '-apply');
  expect([exitCode, files]).toEqual([2, SERVICE]);
  expect(err).toContain(message);
});

import { type Archive, findArchiveFaults, type PublishedManifest } from './archive-rules.js';

const FILES = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'dist/index.js',
  'dist/index.d.ts',
  'src/index.ts',
  'package.json',
];
const MANIFEST: PublishedManifest = {
  version: '1.2.3',
  license: 'Apache-2.0',
  description: 'A package.',
  type: 'module',
  engines: { node: '>=20.19' },
  sideEffects: false,
  exports: {
    '.': { '@sallyport/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  keywords: ['lambda'],
  publishConfig: { access: 'public', provenance: true },
  dependencies: { '@sallyport/core': '^1.2.3', '@aws-sdk/client-dynamodb': '^3.1162.0' },
  peerDependencies: { jose: '^6.0.0' },
};

const archive = (manifest: PublishedManifest, files = FILES): Archive => ({
  files,
  manifest: { ...MANIFEST, ...manifest },
});

test('an archive that may be published has no faults', () => {
  expect(findArchiveFaults(archive({}))).toEqual([]);
});

test('an archive from before the first release has no changelog yet', () => {
  expect(findArchiveFaults(archive({ version: '0.0.0' }, FILES.toSpliced(2, 1)))).toEqual([]);
});

test.each<[string, Archive, string]>([
  ['without a licence text', archive({}, FILES.slice(1)), 'the archive holds no LICENSE'],
  ['without a README', archive({}, FILES.toSpliced(1, 1)), 'the archive holds no README.md'],
  [
    'with a source map without its source',
    archive({}, [...FILES, 'dist/index.js.map', 'dist/limit.d.ts.map']),
    'dist/limit.d.ts.map maps to src/limit.ts, which is not in the archive',
  ],
  ['without its changelog', archive({}, FILES.toSpliced(2, 1)), 'the archive holds no CHANGELOG.md'],
  ['without a description', archive({ description: '' }), '`description` is empty'],
  ['that is no module', archive({ type: 'commonjs' }), '`type` is not module'],
  ['for any Node', archive({ engines: {} }), '`engines.node` is missing'],
  [
    'that bundlers keep whole',
    archive({ sideEffects: true }),
    '`sideEffects` is not false, so bundlers keep what nobody uses',
  ],
  [
    'without the types of an entry',
    archive({}, FILES.toSpliced(4, 1)),
    '. is ./dist/index.d.ts, which is not in the archive',
  ],
  [
    'without the file of a command',
    archive({ bin: { sallyport: './dist/cli.js' } }),
    'sallyport is ./dist/cli.js, which is not in the archive',
  ],
  [
    'without the file of a condition',
    archive({
      imports: {
        '#a': { 'no-a': { source: './src/index.ts', default: './dist/no-a.js' }, default: './dist/index.js' },
      },
    }),
    '#a is ./dist/no-a.js, which is not in the archive',
  ],
  [
    'that only the workspace can install',
    archive({ dependencies: { '@sallyport/core': 'workspace:^' } }),
    '@sallyport/core is wanted as workspace:^, which only this workspace understands',
  ],
  ['with a build record', archive({}, [...FILES, 'dist/.tsbuildinfo']), 'dist/.tsbuildinfo is in the archive'],
  ['under another licence', archive({ license: 'MIT' }), '`license` is not Apache-2.0'],
  ['without keywords', archive({ keywords: [] }), '`keywords` is empty'],
  [
    'that would be private',
    archive({ publishConfig: { access: 'restricted', provenance: true } }),
    '`publishConfig.access` is not public',
  ],
  [
    'without a proof of where it was built',
    archive({ publishConfig: { access: 'public' } }),
    '`publishConfig.provenance` is not true',
  ],
  [
    'with a dependency pinned to one version',
    archive({ dependencies: { '@aws-sdk/client-dynamodb': '3.1162.0' } }),
    '@aws-sdk/client-dynamodb is pinned to 3.1162.0: give its catalog entry a range, so that users can install a fixed version',
  ],
  [
    'with a package of ours pinned to one version',
    archive({ dependencies: { '@sallyport/core': '1.2.3' } }),
    '@sallyport/core is pinned to 1.2.3: give its catalog entry a range, so that users can install a fixed version',
  ],
  [
    'with a peer pinned to one version',
    archive({ peerDependencies: { jose: '6.2.17' } }),
    'jose is pinned to 6.2.17: give its catalog entry a range, so that users can install a fixed version',
  ],
])('an archive %s has that fault', (_name, faulty, fault) => {
  expect(findArchiveFaults(faulty)).toEqual([fault]);
});

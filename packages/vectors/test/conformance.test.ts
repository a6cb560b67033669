import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3VectorsService } from '@sallyport/testkit/services';
import { createLocalVectorStore, type LocalVectorStore } from '@sallyport/vectors/local';
import {
  type ConformanceStoreOptions,
  createFakeVectorStore,
  type VectorStoreHarness,
  vectorStoreConformance,
} from '@sallyport/vectors/testing';
import { hasSqlite } from './support/sqlite.js';
import { indexName, startVectors, wireStore } from './support/wire.js';

let service: S3VectorsService;
let folder: string;
const open: LocalVectorStore[] = [];

beforeAll(async () => {
  service = await startVectors();
  folder = mkdtempSync(join(tmpdir(), 'vectors-'));
});

afterAll(async () => {
  await service.stop();
  for (const store of open) store.close();
  rmSync(folder, { recursive: true });
});

function opened(store: LocalVectorStore): LocalVectorStore {
  open.push(store);
  return store;
}

const HARNESSES: readonly (readonly [string, VectorStoreHarness])[] = [
  ['the fake', { create: async (options) => createFakeVectorStore(options) }],
  ['the local store in memory', { create: async (options) => createLocalVectorStore(options) }],
  ...(hasSqlite
    ? [
        [
          'the local store in a file',
          {
            create: async (options: ConformanceStoreOptions) =>
              opened(createLocalVectorStore({ ...options, path: join(folder, `${open.length}.vectors`) })),
          },
        ] as const,
      ]
    : []),
  [
    'S3 Vectors, through the real client',
    {
      create: async (options) => {
        service.empty(indexName(options.dimension, options.metric, options.nonFilterableKeys));
        return wireStore(service, options);
      },
    },
  ],
];

describe.each(HARNESSES)('%s', (_name, harness) => {
  it.each(vectorStoreConformance(harness))('$name', ({ run }) => run());
});

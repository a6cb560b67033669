import { createMemoryGroupedRegistry } from '@sallyport/connections';
import { createMemoryJobLedger } from '@sallyport/jobs';
import { memoryMcpStore } from '@sallyport/mcp';
import { createUploadGrants } from '@sallyport/objectstore';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';
import { createMemoryRateLimiter, fixedWindow } from '@sallyport/ratelimit';
import { createSemanticIndex } from '@sallyport/vectors';
import { createLocalEmbedder, createLocalVectorStore } from '@sallyport/vectors/local';
import { createNotesService } from '../src/app.js';

/** Values that are known only when the demo starts. */
export interface DemoConfig {
  readonly issuer: string;
  readonly keysUrl: string;
  readonly publicUrl: string;
}

/** The handler of {@link createDemoApp}. */
export const createHandler = (config: DemoConfig) => createDemoApp(config).handleLambda;

/** The service as `src/lambda.ts` composes it, with memory instead of tables and a local issuer. */
export function createDemoApp({ issuer, keysUrl, publicUrl }: DemoConfig) {
  const { app } = createNotesService({
    auth: {
      issuer,
      audience: 'notes',
      publicUrl,
      // Keys must be fetched by https; the keys of the demo are served on this machine.
      jwksUri: 'https://issuer.notes.example/jwks.json',
      fetch: (_url, init) => fetch(keysUrl, init),
    },
    connections: createMemoryGroupedRegistry(),
    limiter: createMemoryRateLimiter({ strategy: fixedWindow({ limit: 600, windowMs: 60_000 }) }),
    ledger: createMemoryJobLedger(),
    search: createSemanticIndex({
      store: createLocalVectorStore({ dimension: 256 }),
      embedder: createLocalEmbedder(),
      tenant: false,
    }),
    attachments: {
      bucket: 'notes-demo',
      store: createFakeObjectStore({ versioning: 'off' }),
      grants: createUploadGrants(),
    },
    tools: { store: memoryMcpStore(), secret: { current: 'a secret of the demo, which seals nothing that lasts' } },
  });
  return app;
}

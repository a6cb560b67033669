import { createMemoryGroupedRegistry } from '@sallyport/connections/memory';
import { createMemoryJobLedger } from '@sallyport/jobs/memory';
import { memoryMcpStore } from '@sallyport/mcp';
import { createUploadGrants } from '@sallyport/objectstore';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';
import { fixedWindow } from '@sallyport/ratelimit';
import { createMemoryRateLimiter } from '@sallyport/ratelimit/memory';
import type { TestEnv } from '@sallyport/testkit';
import { createSemanticIndex } from '@sallyport/vectors';
import { createLocalEmbedder, createLocalVectorStore } from '@sallyport/vectors/local';
import type { Issuer } from '../demo/issuer.js';
import { createNotesService, type NotesConfig, type NotesService } from '../src/app.js';

/** The service in memory, on the clock of a test. */
export function createTestService(
  env: TestEnv,
  issuer: Issuer,
  limit = 5,
  container: NotesConfig['container'] = {},
  attachments: NotesConfig['attachments'] = {
    bucket: 'notes',
    store: createFakeObjectStore({ versioning: 'off' }),
    grants: createUploadGrants(),
  },
): NotesService {
  return createNotesService({
    auth: {
      issuer: 'https://issuer.notes.example',
      audience: 'notes',
      jwksUri: 'https://issuer.notes.example/jwks.json',
      fetch: (_url, init) => fetch(issuer.keysUrl, init),
    },
    connections: createMemoryGroupedRegistry({ clock: env.clock }),
    limiter: createMemoryRateLimiter({ strategy: fixedWindow({ limit, windowMs: 60_000 }), clock: env.clock }),
    ledger: createMemoryJobLedger({ clock: env.clock }),
    search: createSemanticIndex({ store: createLocalVectorStore({ dimension: 256 }), embedder: createLocalEmbedder() }),
    attachments,
    tools: { store: memoryMcpStore(), secret: 'a secret of the tests, which seals nothing that lasts' },
    container: { ...env.options(), ...container },
  });
}

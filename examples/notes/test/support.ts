import { createMemoryGroupedRegistry } from '@sallyport/connections';
import { createMemoryJobLedger } from '@sallyport/jobs';
import { memoryMcpStore } from '@sallyport/mcp';
import { type AuthorizationServer, startAuthorizationServer } from '@sallyport/oauth-lab';
import { createUploadGrants } from '@sallyport/objectstore';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';
import { createMemoryRateLimiter, fixedWindow } from '@sallyport/ratelimit';
import type { TestEnv } from '@sallyport/testkit';
import { createSemanticIndex } from '@sallyport/vectors';
import { createLocalEmbedder, createLocalVectorStore } from '@sallyport/vectors/local';
import { createNotesService, type NotesConfig, type NotesService } from '../src/app.js';

/** Audience of the tokens of users. */
export const AUDIENCE = 'notes';
const PUBLIC_URL = 'https://notes.example';
/** Audience of the tokens of agents. */
export const RESOURCE = `${PUBLIC_URL}/mcp`;

/** An authorization server whose tokens the service accepts. */
export const startIssuer = (resources: readonly string[] = [RESOURCE]) =>
  startAuthorizationServer({ resources, scopes: ['notes:read', 'notes:write'] });

/** Differences of a service from the default of the tests. */
export interface TestServiceOptions {
  /** Requests per minute and caller. */
  readonly limit?: number;
  readonly container?: NotesConfig['container'];
  readonly attachments?: NotesConfig['attachments'];
  readonly publicUrl?: string;
  readonly announce?: NotesConfig['announce'];
}

const MEMORY_ATTACHMENTS = () => ({
  bucket: 'notes',
  store: createFakeObjectStore({ versioning: 'off' }),
  grants: createUploadGrants(),
});

/** The service in memory, on the clock of a test. */
export function createTestService(
  env: TestEnv,
  { issuer, keysUrl }: AuthorizationServer,
  {
    limit = 5,
    container = {},
    attachments = MEMORY_ATTACHMENTS(),
    publicUrl = PUBLIC_URL,
    announce,
  }: TestServiceOptions = {},
): NotesService {
  return createNotesService({
    auth: {
      issuer,
      audience: AUDIENCE,
      publicUrl,
      // Keys must be fetched by https; the keys of the tests are served on this machine.
      jwksUri: 'https://issuer.notes.example/jwks.json',
      fetch: (_url, init) => fetch(keysUrl, init),
    },
    connections: createMemoryGroupedRegistry({ clock: env.clock }),
    limiter: createMemoryRateLimiter({ strategy: fixedWindow({ limit, windowMs: 60_000 }), clock: env.clock }),
    ledger: createMemoryJobLedger({ clock: env.clock }),
    search: createSemanticIndex({
      store: createLocalVectorStore({ dimension: 256 }),
      embedder: createLocalEmbedder(),
      tenant: false,
    }),
    attachments,
    tools: { store: memoryMcpStore(), secret: { current: 'a secret of the tests, which seals nothing that lasts' } },
    container: { ...env.options(), ...container },
    ...(announce && { announce }),
  });
}

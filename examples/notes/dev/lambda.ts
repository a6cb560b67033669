import { createDynamoConnectionRegistry, createMemoryGroupedRegistry } from '@sallyport/connections';
import { createJobLedger, createMemoryJobLedger } from '@sallyport/jobs';
import { dynamoMcpStore, memoryMcpStore } from '@sallyport/mcp';
import { createS3ObjectStore, createUploadGrants } from '@sallyport/objectstore';
import { tracing } from '@sallyport/otel';
import { createDynamoRateLimiter, createMemoryRateLimiter, fixedWindow } from '@sallyport/ratelimit';
import type { ConnectionPrincipal } from '@sallyport/secure/authorizers';
import { createSender } from '@sallyport/streams/send';
import { createSemanticIndex } from '@sallyport/vectors';
import { createLocalEmbedder, createLocalVectorStore } from '@sallyport/vectors/local';
import { createNotesService } from '../src/app.js';
import type { Note } from '../src/notes.js';

const {
  NOTES_ISSUER = '',
  NOTES_AUDIENCE = '',
  NOTES_PUBLIC_URL = '',
  NOTES_JWKS_URI = '',
  NOTES_MCP_SECRET = '',
  NOTES_TABLES,
  NOTES_PAGE_ORIGIN = 'http://127.0.0.1:8080',
} = process.env;
const strategy = fixedWindow({ limit: 600, windowMs: 60_000 });

/** The tables of DynamoDB Local, which needs Java; memory on a machine that has only Node. */
const state =
  NOTES_TABLES === 'on'
    ? {
        connections: createDynamoConnectionRegistry<ConnectionPrincipal>(),
        limiter: createDynamoRateLimiter({ strategy, onStoreError: 'deny', coldTimeoutMs: 8_000 }),
        ledger: createJobLedger(),
        store: dynamoMcpStore(),
      }
    : {
        connections: createMemoryGroupedRegistry<ConnectionPrincipal>(),
        limiter: createMemoryRateLimiter({ strategy }),
        ledger: createMemoryJobLedger(),
        store: memoryMcpStore(),
      };

const sender = createSender<{ bus: { 'notes/NoteAdded': Note } }>({});

// The service as `src/lambda.ts` composes it, with the issuer and the bucket of `sallyport dev`.
const { connections, limiter, ledger, store } = state;
const { app } = createNotesService({
  auth: {
    issuer: NOTES_ISSUER,
    audience: NOTES_AUDIENCE,
    publicUrl: NOTES_PUBLIC_URL,
    jwksUri: NOTES_JWKS_URI,
  },
  connections,
  limiter,
  ledger,
  search: createSemanticIndex({
    store: createLocalVectorStore({ dimension: 256 }),
    embedder: createLocalEmbedder(),
    tenant: false,
  }),
  attachments: { bucket: 'notes-attachments', store: createS3ObjectStore(), grants: createUploadGrants() },
  tools: { store, secret: { current: NOTES_MCP_SECRET } },
  announce: (note) => sender.put('notes/NoteAdded', note),
  container: {
    // The page of `page/index.html`, which is served from another origin.
    cors: { allowedOrigins: [NOTES_PAGE_ORIGIN], allowHeaders: ['authorization', 'content-type'] },
    // `sallyport dev` receives the traces: see the view traces of its console.
    observability: { span: tracing({ service: 'notes' }) },
  },
});

export const handler = app.handleLambda;

import { createMemoryGroupedRegistry } from '@sallyport/connections/memory';
import { createMemoryJobLedger } from '@sallyport/jobs/memory';
import { memoryMcpStore } from '@sallyport/mcp';
import { createS3ObjectStore, createUploadGrants } from '@sallyport/objectstore';
import { fixedWindow } from '@sallyport/ratelimit';
import { createMemoryRateLimiter } from '@sallyport/ratelimit/memory';
import { createSemanticIndex } from '@sallyport/vectors';
import { createLocalEmbedder, createLocalVectorStore } from '@sallyport/vectors/local';
import { createNotesService } from '../src/app.js';

const { NOTES_ISSUER = '', NOTES_JWKS_URI = '', NOTES_MCP_SECRET = '' } = process.env;

// The service as `src/lambda.ts` composes it, with memory in place of tables: it runs on a machine that has only Node. The issuer
// and the bucket are those of `sallyport dev`.
const { app } = createNotesService({
  auth: {
    issuer: NOTES_ISSUER,
    // That of the tokens which the local issuer signs.
    audience: 'local',
    publicUrl: 'http://127.0.0.1:4701',
    jwksUri: NOTES_JWKS_URI,
  },
  connections: createMemoryGroupedRegistry(),
  limiter: createMemoryRateLimiter({ strategy: fixedWindow({ limit: 600, windowMs: 60_000 }) }),
  ledger: createMemoryJobLedger(),
  search: createSemanticIndex({ store: createLocalVectorStore({ dimension: 256 }), embedder: createLocalEmbedder() }),
  attachments: { bucket: 'notes-attachments', store: createS3ObjectStore(), grants: createUploadGrants() },
  tools: { store: memoryMcpStore(), secret: { current: NOTES_MCP_SECRET } },
});

export const handler = app.handleLambda;

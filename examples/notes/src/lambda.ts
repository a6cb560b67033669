import { createDynamoConnectionRegistry } from '@sallyport/connections';
import { createJobLedger } from '@sallyport/jobs';
import { dynamoMcpStore } from '@sallyport/mcp';
import { secretFromArn } from '@sallyport/mcp/aws';
import { createS3ObjectStore, createUploadGrants } from '@sallyport/objectstore';
import { createDynamoRateLimiter, fixedWindow } from '@sallyport/ratelimit';
import { createSemanticIndex, embedderFromEnv, vectorStoreFromEnv } from '@sallyport/vectors';
import { createNotesService } from './app.js';
import { required } from './required.js';
import { TableNotes } from './table-notes.js';

const { app } = createNotesService({
  auth: {
    issuer: required('NOTES_ISSUER'),
    audience: required('NOTES_AUDIENCE'),
    jwksUri: required('NOTES_JWKS_URI'),
    publicUrl: required('NOTES_PUBLIC_URL'),
  },
  notes: new TableNotes(required('NOTES_TABLE')),
  connections: createDynamoConnectionRegistry(),
  limiter: createDynamoRateLimiter({ strategy: fixedWindow({ limit: 600, windowMs: 60_000 }), onStoreError: 'deny' }),
  ledger: createJobLedger(),
  search: createSemanticIndex({ store: vectorStoreFromEnv(), embedder: embedderFromEnv(), tenant: false }),
  attachments: { bucket: required('NOTES_BUCKET'), store: createS3ObjectStore(), grants: createUploadGrants() },
  tools: { store: dynamoMcpStore(), secret: secretFromArn() },
});

export const handler = app.handleLambda;

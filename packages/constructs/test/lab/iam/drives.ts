/** Runs the conformance suite of each package with the real AWS clients over the wire, and records their requests. */
import { createDynamoConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_SCHEMA } from '@sallyport/connections/schema';
import { connectionConformance } from '@sallyport/connections/testing';
import { createWebSocketClient } from '@sallyport/http/websocket';
import { createEventBusStore, createJobLedger } from '@sallyport/jobs';
import { EVENTBUS_TABLE_SCHEMA, JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { eventBusConformance, jobLedgerConformance } from '@sallyport/jobs/testing';
import { dynamoMcpStore } from '@sallyport/mcp';
import { s3McpSpill, secretFromArn } from '@sallyport/mcp/aws';
import { MCP_TABLE_SCHEMA } from '@sallyport/mcp/schema';
import { mcpStoreConformance } from '@sallyport/mcp/testing';
import { microvmConformance } from '@sallyport/microvm/testing';
import { createS3ObjectStore } from '@sallyport/objectstore';
import { objectStoreConformance } from '@sallyport/objectstore/testing';
import { createDynamoRateLimiter } from '@sallyport/ratelimit';
import { RATE_LIMIT_TABLE_SCHEMA } from '@sallyport/ratelimit/schema';
import { rateLimiterConformance } from '@sallyport/ratelimit/testing';
import { vectorStoreConformance } from '@sallyport/vectors/testing';
import { createLocalClient, createTable } from '../../../../../tools/dynamodb-local/src/index.js';
import { dynamoRegistry, harness, wireService } from '../../../../microvm/test/support/harness.js';
import { startTestS3 } from '../../../../objectstore/test/support/s3.js';
import { indexName, startModel, startVectors, wireEmbedder, wireStore } from '../../../../vectors/test/support/wire.js';
import type { RecordedAccesses } from './expected.js';
import { accessesOf, type RecordedCall, recordCalls } from './recorded.js';

/** All clients of the SDK have one base class. */
let anyClient: object | undefined;
const record = (run: () => Promise<unknown>) => recordCalls(anyClient as object, run);

async function all(cases: readonly { readonly run: () => Promise<unknown> | unknown }[]): Promise<void> {
  for (const { run } of cases) await run();
}
/** A call whose answer does not matter: its client gets no connection. */
const NOWHERE = {
  endpoint: 'http://127.0.0.1:9',
  region: 'eu-west-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 1,
};
const failing = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    () => undefined,
  );

/** The accesses of the packages, by the variable that configures each. */
export async function recordPackages(): Promise<RecordedAccesses> {
  const client = await createLocalClient();
  anyClient = client;
  const on = async (schema: Parameters<typeof createTable>[1], run: (tableName: string) => Promise<void>) => {
    const tableName = await createTable(client, schema);
    return accessesOf(await record(() => run(tableName)));
  };
  const limits = { client, onStoreError: 'deny', deniedCache: false, storeTimeoutMs: 10_000 } as const;
  const microvm = await record(() =>
    all(microvmConformance(harness(wireService, (clock) => dynamoRegistry(client)(clock)))),
  );
  const service = (calls: readonly RecordedCall[], name: RegExp) =>
    accessesOf(calls.filter((one) => name.test(one.service) && one.operation !== 'CreateTable'));
  const accesses: RecordedAccesses = {
    FRAMEWORK_JOBS_TABLE_NAME: await on(JOBS_TABLE_SCHEMA, (tableName) =>
      all(
        jobLedgerConformance({ create: async (options: object) => createJobLedger({ ...options, client, tableName }) }),
      ),
    ),
    FRAMEWORK_EVENTBUS_TABLE_NAME: await on(EVENTBUS_TABLE_SCHEMA, (tableName) =>
      all(
        eventBusConformance({
          create: async (options: object) => createEventBusStore({ ...options, client, tableName }),
        }),
      ),
    ),
    FRAMEWORK_RATE_LIMIT_TABLE_NAME: await on(RATE_LIMIT_TABLE_SCHEMA, (tableName) =>
      all(
        rateLimiterConformance({
          create: async (options) => createDynamoRateLimiter({ ...options, ...limits, tableName }),
        }),
      ),
    ),
    FRAMEWORK_WEBSOCKET_CONNECTIONS_TABLE_NAME: await on(WEBSOCKET_CONNECTIONS_TABLE_SCHEMA, (tableName) =>
      all(
        connectionConformance({
          create: async (options) => createDynamoConnectionRegistry({ ...options, client, tableName }),
        }),
      ),
    ),
    FRAMEWORK_MCP_TABLE_NAME: await on(MCP_TABLE_SCHEMA, (tableName) =>
      all(mcpStoreConformance({ create: async (clock) => dynamoMcpStore({ client, tableName, clock } as never) })),
    ),
    FRAMEWORK_MICROVM_TABLE_NAME: service(microvm, /^DynamoDB$/),
    FRAMEWORK_MICROVM_IMAGE_REF: service(microvm, /Microvms/),
    ...(await recordStorage()),
    ...(await recordProducers()),
  };
  client.destroy();
  return accesses;
}

async function recordStorage(): Promise<RecordedAccesses> {
  const s3 = await startTestS3();
  const create = async ({ versioning }: { readonly versioning: string }) => ({
    store: createS3ObjectStore({ client: s3.client }),
    bucket: versioning === 'enabled' ? s3.versionedBucket : s3.bucket,
  });
  const objects = await record(() => all(objectStoreConformance({ create })));
  const spill = await record(async () => {
    const one = s3McpSpill({ bucket: s3.bucket, client: s3.client as never });
    await one.put('a', new Uint8Array([1]));
    await one.get('a');
    await one.delete?.('a');
  });
  await s3.stop();
  const vectors = await startVectors();
  const index = await record(() =>
    all(vectorStoreConformance({ create: async (options) => emptied(vectors, options) })),
  );
  await vectors.stop();
  const model = await startModel();
  const embed = await record(() => wireEmbedder(model).embed('a'));
  await model.stop();
  return {
    OBJECTS: accessesOf(objects),
    FRAMEWORK_MCP_SPILL_BUCKET: accessesOf(spill),
    FRAMEWORK_VECTOR_INDEX_ARN: accessesOf(index),
    FRAMEWORK_EMBEDDING_MODEL_ID: accessesOf(embed),
  };
}

function emptied(
  vectors: Awaited<ReturnType<typeof startVectors>>,
  options: Parameters<typeof wireStore>[1],
): ReturnType<typeof wireStore> {
  vectors.empty(indexName(options.dimension, options.metric, options.nonFilterableKeys));
  return wireStore(vectors, options);
}

async function recordProducers(): Promise<RecordedAccesses> {
  const saved = { ...process.env };
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: NOWHERE.endpoint,
    AWS_REGION: NOWHERE.region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_MAX_ATTEMPTS: '1',
  });
  const secret = await record(() =>
    failing(secretFromArn({ arn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:s' })()),
  );
  process.env = saved;
  const sockets = createWebSocketClient('http://127.0.0.1:9/live', { config: NOWHERE });
  const connections = await record(async () => {
    await failing(sockets.postToConnection('id', new Uint8Array([1])));
    await failing(sockets.deleteConnection('id'));
    await failing(sockets.getConnection('id'));
  });
  sockets.close();
  return { FRAMEWORK_MCP_SECRET_ARN: accessesOf(secret), FRAMEWORK_WEBSOCKET_ENDPOINT: accessesOf(connections) };
}

/** Runs the conformance suite of each package with the real AWS clients over the wire, and records their requests. */
import { createDynamoConnectionRegistry } from '@sallyport/connections';
import { WEBSOCKET_CONNECTIONS_TABLE_SCHEMA } from '@sallyport/connections/schema';
import { connectionConformance } from '@sallyport/connections/testing';
import { createEventBusStore, createJobLedger } from '@sallyport/jobs';
import { EVENTBUS_TABLE_SCHEMA, JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { eventBusConformance, jobLedgerConformance } from '@sallyport/jobs/testing';
import { dynamoMcpStore } from '@sallyport/mcp';
import { s3McpSpill } from '@sallyport/mcp/aws';
import { MCP_TABLE_SCHEMA } from '@sallyport/mcp/schema';
import { mcpStoreConformance } from '@sallyport/mcp/testing';
import { microvmConformance } from '@sallyport/microvm/testing';
import { createS3ObjectStore } from '@sallyport/objectstore';
import { objectStoreConformance } from '@sallyport/objectstore/testing';
import { FLAGS_PROFILE_ENV } from '@sallyport/parameters/schema';
import { createDynamoRateLimiter } from '@sallyport/ratelimit';
import { RATE_LIMIT_TABLE_SCHEMA } from '@sallyport/ratelimit/schema';
import { rateLimiterConformance } from '@sallyport/ratelimit/testing';
import { vectorStoreConformance } from '@sallyport/vectors/testing';
import { createLocalClient, createTable } from '../../../../../tools/dynamodb-local/src/index.js';
import { dynamoRegistry, harness, wireService } from '../../../../microvm/test/support/harness.js';
import { IMAGE, startService, wireProvider } from '../../../../microvm/test/support/wire.js';
import { startTestS3 } from '../../../../objectstore/test/support/s3.js';
import { startWorld } from '../../../../parameters/test/support.js';
import { indexName, startModel, startVectors, wireEmbedder, wireStore } from '../../../../vectors/test/support/wire.js';
import type { RecordedAccesses } from './expected.js';
import { recordInline } from './inline.js';
import { accessesOf, type RecordedCall, recordCalls } from './recorded.js';
import { recordSenders } from './senders.js';

/** All clients of the SDK have one base class. */
let anyClient: object | undefined;
const record = (run: () => Promise<unknown>) => recordCalls(anyClient as object, run);

async function all(cases: readonly { readonly run: () => Promise<unknown> | unknown }[]): Promise<void> {
  for (const { run } of cases) await run();
}
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
    ...passedToMachines(await record(runWithSettings)),
    ...(await recordStorage()),
    ...(await recordParameters()),
    ...(await recordSenders(record)),
    ...(await recordInline(record)),
  };
  client.destroy();
  return accesses;
}

/** Starts a machine with a role and network connectors. */
async function runWithSettings(): Promise<void> {
  const service = await startService();
  const input = {
    imageRef: IMAGE,
    executionRoleArn: 'arn:aws:iam::123456789012:role/machines',
    ingressConnectors: ['arn:aws:lambda:eu-west-1:aws:network-connector:aws-network-connector:HTTP_INGRESS'],
    egressConnectors: ['arn:aws:lambda:eu-west-1:aws:network-connector:aws-network-connector:INTERNET_EGRESS'],
    logging: { disabled: {} },
    runHookPayload: '{}',
    maximumDurationSeconds: 60,
    clientToken: 'token',
  };
  await wireProvider(service).run(input, AbortSignal.timeout(10_000));
  await service.stop();
}

/** A request that names a role or a connector passes it: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html */
function passedToMachines(calls: readonly RecordedCall[]): RecordedAccesses {
  const pass = (member: string, action: string) =>
    calls.some(({ input }) => input[member] !== undefined) ? [{ action, part: '' }] : [];
  return {
    FRAMEWORK_MICROVM_EXECUTION_ROLE_ARN: pass('executionRoleArn', 'iam:PassRole'),
    FRAMEWORK_MICROVM_INGRESS_NETWORK_CONNECTOR_REFS: pass('ingressNetworkConnectors', 'lambda:PassNetworkConnector'),
    FRAMEWORK_MICROVM_EGRESS_NETWORK_CONNECTOR_REFS: pass('egressNetworkConnectors', 'lambda:PassNetworkConnector'),
  };
}

/** The accesses of the reader: `PARAMETER` on each parameter, `SECRET` on one secret, `SECRETS` for several. */
async function recordParameters(): Promise<RecordedAccesses> {
  const { parameters, values, stop } = await startWorld();
  for (const name of ['a', 'b']) {
    values.setParameter(`/${name}`, name);
    values.setSecret(name, name);
  }
  values.setFlags({ on: { enabled: true } });
  /** The calls of a new reader, which reads all with its first read. */
  const reading = async (add: (reader: ReturnType<typeof parameters>) => readonly { get(): Promise<unknown> }[]) =>
    accessesOf(await record(() => Promise.all(add(parameters()).map((one) => one.get()))));
  const accesses = {
    PARAMETER: await reading(({ parameter }) => [parameter('/a'), parameter('/b')]),
    SECRET: await reading(({ secret }) => [secret('a')]),
    SECRETS: await reading(({ secret }) => [secret('a'), secret('b')]),
    [FLAGS_PROFILE_ENV]: await reading(({ flag }) => [flag('on')]),
  };
  await stop();
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

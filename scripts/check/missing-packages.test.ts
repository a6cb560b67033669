import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './command.js';

/** One call that needs each AWS client, by the package that the user has to install. */
const PROGRAM = `
import { createDynamoConnectionRegistry } from './packages/connections/src/index.js';
import { createWebSocketClient } from './packages/http/src/websocket.js';
import { createJobLedger } from './packages/jobs/src/index.js';
import { invokeSelf } from './packages/mcp/src/tasks.js';
import { s3McpSpill, secretFromArn } from './packages/mcp/src/aws.js';
import { dynamoMcpStore } from './packages/mcp/src/index.js';
import { createS3ObjectStore, createUploadGrants, parseObjectRef } from './packages/objectstore/src/index.js';
import { createAwsMicrovmProvider } from './packages/microvm/src/index.js';
import { createParameters } from './packages/parameters/src/index.js';
import { createDynamoRateLimiter, fixedWindow } from './packages/ratelimit/src/index.js';
import { createErrorTopicPublish } from './packages/streams/src/error-topic.js';
import { createS3VectorStore, createTitanEmbedder } from './packages/vectors/src/index.js';

const limiter = createDynamoRateLimiter({ tableName: 't', strategy: fixedWindow({ limit: 1, windowMs: 1000 }), onStoreError: 'allow' });
const ref = parseObjectRef('s3://notes/a.txt');
const grant = { ref, contentLength: 1, maxBytes: 10, contentType: 'text/plain', checksumSha256: 'A'.repeat(43) + '=', expiresIn: 60 };
const embedder = createTitanEmbedder();
const vectors = createS3VectorStore({ vectorBucketName: 'bucket', indexName: 'index', dimension: 3 });
const values = createParameters({ flags: { application: 'a', environment: 'e', profile: 'p' } });
const calls = {
  parameters: () => values.parameter('/a').get(),
  secrets: () => values.secret('a').get(),
  flags: () => values.flag('a').get(),
  connections: () => createDynamoConnectionRegistry({ tableName: 't' }).get({ apiId: 'a', stage: 's', connectionId: 'c' }),
  jobs: () => createJobLedger({ tableName: 't' }).getJob({ tenantId: 't', jobId: 'j' }),
  'mcp store': () => dynamoMcpStore({ tableName: 't' }).get({ partition: 'p', sort: 's' }),
  'mcp spill': () => s3McpSpill({ bucket: 'b' }).get('k'),
  'mcp secret': () => secretFromArn({ arn: 'a' })(),
  'mcp tasks': () => invokeSelf({ functionName: 'f' })({}),
  objects: () => createS3ObjectStore().get({ ref, maxBytes: 1 }),
  grants: () => createUploadGrants().presignPut(grant),
  'a limit that lets calls pass without its store': () => limiter.consume({ policy: 'p', identifier: 'i', resource: 'r', operation: 'o' }),
  'a limiter that is warmed up': () => limiter.warm(),
  machines: () => createAwsMicrovmProvider().get('m', new AbortController().signal),
  vectors: () => vectors.get({ keys: ['a'] }),
  embeddings: () => embedder.embed('milk'),
  'error topic': () => createErrorTopicPublish()({ topicArn: 'arn:aws:sns:eu-west-1:1:t', subject: 's', message: 'm' }),
  sockets: () => createWebSocketClient('https://a.example/prod').deleteConnection('c'),
};
const seen = {};
for (const [name, call] of Object.entries(calls)) {
  seen[name] = await Promise.resolve().then(call).then(() => 'answered', (error) => [error.code, /npm install (.*?)(?:;|$)/.exec(error.message)?.[1] ?? error.message]);
}
console.log(JSON.stringify(seen));
`;

const PEERS = [
  'apigatewaymanagementapi',
  'appconfigdata',
  'bedrock-runtime',
  'dynamodb',
  'lambda',
  'lambda-microvms',
  's3',
  's3vectors',
  'secrets-manager',
  'sns',
  'ssm',
]
  .map((name) => `@aws-sdk/client-${name}`)
  .concat('@aws-sdk/s3-request-presigner');

it('every call that needs an AWS client which is not installed names the package to install', async () => {
  const place = mkdtempSync(join(tmpdir(), 'sallyport-missing-'));
  try {
    const outfile = join(place, 'index.mjs');
    await build({
      stdin: { contents: PROGRAM, resolveDir: ROOT, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@sallyport/source'],
      // If they are installed, an alias hides them; esbuild fails for an import unless it is left to fail alone.
      alias: Object.fromEntries(PEERS.map((name) => [name, join(place, name)])),
      banner: { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" },
      outfile,
    });
    const seen: unknown = JSON.parse(execFileSync(process.execPath, [outfile], { cwd: place, encoding: 'utf8' }));
    const dynamo = ['app.missing_package', '@aws-sdk/client-dynamodb'];
    expect(seen).toEqual({
      parameters: ['app.missing_package', '@aws-sdk/client-ssm'],
      secrets: ['app.missing_package', '@aws-sdk/client-secrets-manager'],
      flags: ['app.missing_package', '@aws-sdk/client-appconfigdata'],
      connections: dynamo,
      jobs: dynamo,
      'mcp store': dynamo,
      'mcp spill': ['app.missing_package', '@aws-sdk/client-s3'],
      'mcp secret': ['app.missing_package', '@aws-sdk/client-secrets-manager'],
      'mcp tasks': ['app.missing_package', '@aws-sdk/client-lambda'],
      objects: ['app.missing_package', '@aws-sdk/client-s3'],
      grants: ['app.missing_package', '@aws-sdk/client-s3'],
      'a limit that lets calls pass without its store': dynamo,
      'a limiter that is warmed up': dynamo,
      machines: ['app.missing_package', '@aws-sdk/client-lambda-microvms'],
      vectors: ['app.missing_package', '@aws-sdk/client-s3vectors'],
      embeddings: ['app.missing_package', '@aws-sdk/client-bedrock-runtime'],
      'error topic': ['app.missing_package', '@aws-sdk/client-sns'],
      sockets: ['app.missing_package', '@aws-sdk/client-apigatewaymanagementapi'],
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

// The deployed notes example: the time until a user gets the first answer.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lambdaFlags } from '@sallyport/bundle';
import { createLocalClient, createTable, dynamodbEndpoint } from '@sallyport/dynamodb-local';
import { RATE_LIMIT_TABLE_SCHEMA } from '@sallyport/ratelimit/schema';
import { bundleService, HERE, readBundle } from '../bundle.js';
import { createCompileCache } from '../compile-cache.js';
import { gatewayV2Event } from '../events.js';
import { HERE_256, type Starter } from './in-turn.js';

const SOURCE = '../../examples/notes/src/lambda.ts';
const ASSEMBLY = join(HERE, 'node_modules', '.cache', 'notes-assembly');

/** The variables of a deployment; the first answers use only the table of rate limits. */
const VARIABLES = {
  NOTES_ISSUER: 'https://id.example.com',
  NOTES_AUDIENCE: 'notes',
  NOTES_JWKS_URI: 'https://id.example.com/jwks.json',
  NOTES_PUBLIC_URL: 'https://notes.example.com',
  NOTES_BUCKET: 'notes',
  FRAMEWORK_MCP_SECRET_ARN: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:notes-mcp-AbCdEf',
  FRAMEWORK_JOBS_TABLE_NAME: 'jobs',
  FRAMEWORK_MCP_TABLE_NAME: 'mcp',
  FRAMEWORK_WEBSOCKET_CONNECTIONS_TABLE_NAME: 'connections',
  FRAMEWORK_VECTOR_BUCKET_NAME: 'notes-vectors',
  FRAMEWORK_VECTOR_INDEX_NAME: 'notes',
  FRAMEWORK_VECTOR_DIMENSION: '1024',
  FRAMEWORK_EMBEDDING_MODEL_ID: 'amazon.titan-embed-text-v2:0',
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

/** A way to start the service, with the size of the code that is loaded at the start. */
export interface NotesStarter extends Starter {
  readonly bytes: number;
  readonly gzipBytes: number;
}

/**
 * The service in one file, as `bundleFunction` of `@sallyport/constructs` writes it, and as `bundleFunction` writes it with a compile cache. Each
 * starts with two events: a request without a token, which is answered without any AWS client, and `GET /health`, whose rate limit reads DynamoDB.
 */
export async function notesStarters(): Promise<readonly NotesStarter[]> {
  const endpoint = await dynamodbEndpoint();
  const table = await createTable(await createLocalClient({ endpoint }), RATE_LIMIT_TABLE_SCHEMA);
  const variables = { ...VARIABLES, AWS_ENDPOINT_URL_DYNAMODB: endpoint, FRAMEWORK_RATE_LIMIT_TABLE_NAME: table };
  const one = await bundleService(SOURCE);
  const deployed = await readBundle(synthesise());
  const start = { file: deployed.file, bytes: deployed.startBytes, gzipBytes: deployed.startGzipBytes };
  const cached = { ...start, ...withCache(deployed.file, variables) };
  const ways = [
    ['notes, one file', one, variables],
    ['notes, as deployed', start, variables],
    ['notes, as deployed, with a compile cache', cached, cached.environment],
  ] as const;
  return ways.flatMap(([way, { file, bytes, gzipBytes }, environment]) => [
    { name: `${way}: 401`, file, bytes, gzipBytes, environment, ...expecting('/notes', 401) },
    { name: `${way}: 200 after a call to DynamoDB`, file, bytes, gzipBytes, environment, ...expecting('/health', 200) },
  ]);
}

/** The bundle in the assembly of the example. */
function synthesise(): string {
  rmSync(ASSEMBLY, { recursive: true, force: true });
  const { status, stderr } = spawnSync(process.execPath, ['../../scripts/synth.mjs'], {
    cwd: join(HERE, '../../examples/notes'),
    env: { ...process.env, CDK_OUTDIR: ASSEMBLY, CDK_VALIDATION: 'false' },
    encoding: 'utf8',
  });
  const asset = status === 0 ? readdirSync(ASSEMBLY).find((name) => name.startsWith('asset.')) : undefined;
  if (asset === undefined) throw new Error(`The example notes has no bundle: ${stderr}`);
  return join(ASSEMBLY, asset, 'index.mjs');
}

/** A copy of the bundle with a compile cache. The event calls DynamoDB, so that the client's code is in the cache as well. */
function withCache(file: string, variables: Readonly<Record<string, string>>) {
  const folder = `${dirname(file)}-cached`;
  rmSync(folder, { recursive: true, force: true });
  cpSync(dirname(file), folder, { recursive: true });
  const copy = join(folder, basename(file));
  const environment = { ...process.env, NODE_ENV: 'production', ...variables };
  const nodeArguments = lambdaFlags(HERE_256.memoryMb, Number.parseInt(HERE_256.version, 10));
  const found = createCompileCache({ file: copy, environment, nodeArguments, event: expecting('/health', 200).event });
  return { file: copy, environment: { ...variables, ...found } };
}

function expecting(path: string, status: number): Pick<Starter, 'event' | 'accepts'> & { readonly event: object } {
  const event = gatewayV2Event({ method: 'GET', path });
  const { authorization: _none, ...headers } = (event as { headers: Record<string, string> }).headers;
  return {
    event: { ...event, headers },
    accepts: (answer) => (answer as { statusCode?: unknown } | null)?.statusCode === status,
  };
}

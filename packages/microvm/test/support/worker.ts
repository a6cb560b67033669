/** One instance of a function as a separate process: changes sessions until it is killed, and prints the responses. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaMicrovmsClient } from '@aws-sdk/client-lambda-microvms';
import { isFrameworkError } from '@sallyport/core';
import {
  createAwsMicrovmProvider,
  createDynamoMicrovmRegistry,
  createMicrovmController,
  internalCaller,
  type MicrovmSession,
} from '@sallyport/microvm';
import type { Told } from './history.js';

export interface WorkerOrder {
  readonly tableName: string;
  readonly dynamodb: string;
  readonly microvms: string;
  readonly image: string;
}

export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'told'; readonly told: Told }
  | { readonly kind: 'refused'; readonly code: string };

/** Sessions that all processes change at the same time, and the milliseconds until the next sessions. */
const AT_ONCE = 4;
const GENERATION_MS = 700;
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

function report(message: WorkerReport): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

process.on('message', (order: WorkerOrder) => {
  work(order).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
});
void report({ kind: 'ready' });

async function work({ tableName, dynamodb, microvms, image }: WorkerOrder): Promise<void> {
  const common = { region: 'eu-west-1', credentials: CREDENTIALS };
  const client = new LambdaMicrovmsClient({ ...common, endpoint: microvms, maxAttempts: 1 });
  const controller = createMicrovmController({
    // Named by the bundle, so that the copy in it is used.
    provider: createAwsMicrovmProvider({ client: client as never }),
    registry: createDynamoMicrovmRegistry({
      tableName,
      client: new DynamoDBClient({ ...common, endpoint: dynamodb }),
      log: false,
    }),
    images: [{ ref: image }],
  });
  const caller = internalCaller({ identity: 'ada', tenantId: 't1', namespace: 'n' });
  const calls = ['run', 'run', 'get', 'suspend', 'resume', 'terminate'] as const;
  for (;;) {
    const generation = Math.floor(Date.now() / GENERATION_MS);
    const sessionId = `s${generation}-${Math.floor(Math.random() * AT_ONCE)}`;
    const call = calls[Math.floor(Math.random() * calls.length)] ?? 'get';
    try {
      await report({ kind: 'told', told: toTold(await controller[call](caller, { sessionId })) });
    } catch (error) {
      await report({ kind: 'refused', code: isFrameworkError(error) ? error.code : String(error) });
    }
  }
}

function toTold({ sessionId, state, registryVersion, providerMicrovmId }: MicrovmSession): Told {
  return { sessionId, state, version: registryVersion, microvmId: providerMicrovmId };
}

// The floor: hand-written handlers that do only the work itself.
import { FIELDS, type Job, resolveField, runJob } from '../application.js';
import { apiClient, memoryClient } from '../durable.js';
import type { Handlers, Invoke } from '../invoke.js';
import { createDurable } from './bare-durable.js';
import { handlers as http } from './bare-http.js';
import { createSecure } from './bare-secure.js';

function createBatch<T>(read: (record: T) => { identifier: string; text: string }): Invoke {
  return async (event: { Records: T[] }) => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const record of event.Records) {
      const { identifier, text } = read(record);
      try {
        await runJob(JSON.parse(text) as Job);
      } catch {
        batchItemFailures.push({ itemIdentifier: identifier });
      }
    }
    return { batchItemFailures };
  };
}

interface QueueRecord {
  readonly messageId: string;
  readonly body: string;
}

interface StreamRecord {
  readonly kinesis: { readonly sequenceNumber: string; readonly data: string };
}

interface FieldEvent {
  readonly info: { readonly fieldName: string };
  readonly arguments: { readonly id: string };
  readonly identity: { readonly sub?: string } | null;
}

function createGraphQL(admits: (identity: FieldEvent['identity']) => boolean): Invoke {
  const fields = new Map(FIELDS.map((field) => [field, (id: string) => resolveField(field, id)]));
  return async (event: FieldEvent) => {
    if (!admits(event.identity)) throw new Error('unauthorized');
    return fields.get(event.info.fieldName)?.(event.arguments.id);
  };
}

export const handlers: Handlers = {
  ...http,
  'spans-off': http['get-v2'] as NonNullable<Handlers['get-v2']>,
  spans: http['get-v2'] as NonNullable<Handlers['get-v2']>,
  secure: createSecure,
  'secure-new': createSecure,
  sqs: () => createBatch(({ messageId, body }: QueueRecord) => ({ identifier: messageId, text: body })),
  kinesis: () =>
    createBatch(({ kinesis }: StreamRecord) => ({
      identifier: kinesis.sequenceNumber,
      text: Buffer.from(kinesis.data, 'base64').toString(),
    })),
  durable: async () => createDurable(await apiClient(), 10),
  'durable-memory': () => createDurable(memoryClient, 10),
  'durable-replay': () => createDurable(memoryClient, 50),
  graphql: () => createGraphQL(() => true),
  'graphql-gate': () => createGraphQL((identity) => typeof identity?.sub === 'string' && identity.sub !== ''),
};

// The floor: hand-written handlers that do only the work itself.
import {
  boom,
  describeUpload,
  FIELDS,
  FILE,
  findUser,
  type Job,
  type Order,
  placeOrder,
  registerAll,
  resolveField,
  runJob,
  STEPS,
  showResource,
} from '../application.js';
import { type Handlers, httpHandlers, type Invoke } from '../invoke.js';

interface BareEvent {
  readonly rawPath?: string;
  readonly path?: string;
  readonly httpMethod?: string;
  readonly body?: string;
  readonly requestContext: { readonly http?: { readonly method: string } };
}

interface BareAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

type Handle = (last: string, event: BareEvent) => BareAnswer;

const json = (statusCode: number, value: unknown): BareAnswer => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
  isBase64Encoded: false,
});

function createHttp({ steps }: { steps: boolean }): Invoke {
  const handles = new Map<string, Handle>();
  registerAll(
    100,
    ({ method, pattern, resource }) => handles.set(`${method} ${pattern}`, () => json(200, showResource(resource))),
    () => {
      handles.set('GET /users/', (id) => json(200, findUser(id)));
      handles.set('GET /boom', () => boom());
      handles.set('POST /orders', (_, { body }) => json(201, placeOrder(JSON.parse(body ?? '') as Order)));
      handles.set('POST /uploads', (_, { body }) => json(200, describeUpload(Buffer.from(body ?? '', 'base64'))));
      handles.set('GET /files/', () => ({
        statusCode: 200,
        headers: { 'content-type': 'application/octet-stream' },
        body: FILE.toString('base64'),
        isBase64Encoded: true,
      }));
    },
  );
  function serve(event: BareEvent): BareAnswer {
    const method = event.requestContext.http?.method ?? event.httpMethod ?? '';
    const path = event.rawPath ?? event.path ?? '';
    const slash = path.indexOf('/', 1);
    const key = slash < 0 ? path : path.slice(0, slash + 1);
    const handle = handles.get(`${method} ${key}`);
    return handle
      ? handle(slash < 0 ? '' : decodeURIComponent(path.slice(slash + 1)), event)
      : json(404, { error: 'not found' });
  }
  return async (event: BareEvent) => {
    try {
      const answer = serve(event);
      if (steps) for (const step of STEPS) answer.headers[step] = '1';
      return answer;
    } catch {
      return json(500, { error: 'internal error' });
    }
  };
}

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

export const handlers: Handlers = {
  ...httpHandlers(createHttp),
  sqs: () => createBatch(({ messageId, body }: QueueRecord) => ({ identifier: messageId, text: body })),
  kinesis: () =>
    createBatch(({ kinesis }: StreamRecord) => ({
      identifier: kinesis.sequenceNumber,
      text: Buffer.from(kinesis.data, 'base64').toString(),
    })),
  graphql: () => {
    const fields = new Map(FIELDS.map((field) => [field, (id: string) => resolveField(field, id)]));
    return async (event: { info: { fieldName: string }; arguments: { id: string } }) =>
      fields.get(event.info.fieldName)?.(event.arguments.id);
  },
};

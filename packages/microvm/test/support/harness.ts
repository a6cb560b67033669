import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '@sallyport/core';
import { createTable } from '@sallyport/dynamodb-local';
import { createDynamoMicrovmRegistry, type MicrovmRegistry } from '@sallyport/microvm';
import { MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import {
  createFakeMicrovmProvider,
  createMemoryMicrovmRegistry,
  type HarnessFailure,
  type MicrovmHarness,
  type MicrovmSetup,
  type ProgramAnswer,
  type ProgramRequest,
} from '@sallyport/microvm/testing';
import type { MicrovmsService } from '@sallyport/testkit/services';
import { startService, wireProvider } from './wire.js';

type Registry = (clock: Clock) => Promise<MicrovmRegistry>;
type Service = (
  clock: Clock,
  program: (request: ProgramRequest) => ProgramAnswer,
) => Promise<Omit<MicrovmSetup, 'registry'>>;

/** Message of the service's failures; the suite scans all output for it. */
const SERVICE_TEXT = 'a message of the service';

export const memoryRegistry: Registry = async (clock) => createMemoryMicrovmRegistry({ clock });

/** Each registry has a separate table, because a sweep reads the reservations of a whole table. */
export function dynamoRegistry(client: DynamoDBClient): Registry {
  return async (clock) => {
    const tableName = await createTable(client, MICROVM_TABLE_SCHEMA);
    return createDynamoMicrovmRegistry({ client, tableName, clock, log: false, storeTimeoutMs: 60_000 });
  };
}

export function harness(service: Service, registry: Registry): MicrovmHarness {
  return {
    create: async ({ clock, program }) => ({ ...(await service(clock, program)), registry: await registry(clock) }),
  };
}

/** The fake. */
export const fakeService: Service = async (clock, program) => {
  const provider = createFakeMicrovmProvider({
    clock,
    workload: async ({ microvmId, port, method, path, headers, body }) => {
      const answer = program({ microvmId, port, method, path, headers, body });
      return { status: answer.status, headers: answer.headers, body: once(answer.body) };
    },
  });
  return {
    provider,
    machines: () => provider.machines,
    secrets: () => provider.secrets,
    setState: (id, state) => provider.setState(id, state),
    fail: ({ error, times = 1000, ...rest }) =>
      provider.fail({
        ...rest,
        times,
        message: SERVICE_TEXT,
        ...(error === 'lost' ? { name: 'TimeoutError', applied: true } : { name: error }),
      }),
    callCount: (operation) => provider.calls.filter((call) => call.operation === operation).length,
    close: async () => {},
  };
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}

const COMMANDS: Readonly<Record<HarnessFailure['operation'], string>> = {
  run: 'RunMicrovm',
  get: 'GetMicrovm',
  list: 'ListMicrovms',
  suspend: 'SuspendMicrovm',
  resume: 'ResumeMicrovm',
  terminate: 'TerminateMicrovm',
  authToken: 'CreateMicrovmAuthToken',
  shellAuthToken: 'CreateMicrovmShellAuthToken',
};
/** HTTP statuses of the service's errors, from its model; others are 400. */
const STATUSES: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  ConflictException: 409,
  ResourceConflictException: 409,
  InsufficientCapacityException: 500,
  InternalServerException: 500,
  ServiceException: 500,
  ResourceNotFoundException: 404,
  ServiceQuotaExceededException: 402,
  ThrottlingException: 429,
  TooManyRequestsException: 429,
};

/** The real provider with the real client, over the wire. */
export const wireService: Service = async (clock, program) => {
  const service = await startService({ clock, program: serveProgram(program) });
  return {
    provider: wireProvider(service),
    machines: () => service.machines,
    secrets: () => service.secrets,
    setState: (id, state) => service.setState(id, state),
    fail: (failure) => inject(service, failure),
    callCount: (operation) => service.requests.filter((request) => request.operation === COMMANDS[operation]).length,
    close: () => service.stop(),
  };
};

function inject(service: MicrovmsService, { operation, error, times, retryAfterSeconds }: HarnessFailure): void {
  const rule = { operation: COMMANDS[operation], ...(times !== undefined && { times }) };
  if (error === 'lost') {
    service.inject({ kind: 'lost-answer' }, rule);
    return;
  }
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  service.inject({ kind: 'error', name: error, status: STATUSES[error] ?? 400, message: SERVICE_TEXT, headers }, rule);
}

function serveProgram(program: (request: ProgramRequest) => ProgramAnswer) {
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    { microvmId, port }: { readonly microvmId: string; readonly port: number },
  ) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
    const { method = '', url: path = '' } = request;
    const answer = program({ microvmId, port, method, path, headers, body: Buffer.concat(chunks) });
    for (const [name, value] of answer.headers) response.appendHeader(name, value);
    response.statusCode = answer.status;
    response.end(answer.body);
  };
}

// The executions of the durable workloads: their envelopes, and a transport in memory that both peers use.
import { createHash } from 'node:crypto';
import { DurableExecutionApiClient, type DurableExecutionClient } from '@aws/durable-execution-sdk-js';
import { startPrinting } from './peers/receiver.js';

/** The members of a context that the handlers of both peers use. */
export interface Steps {
  step(name: string, run: () => Promise<number>): PromiseLike<number>;
}

/** The work of an execution: steps one after another. */
export async function runSteps(ctx: Steps, count: number): Promise<number> {
  let sum = 0;
  for (let step = 1; step <= count; step += 1) sum += await ctx.step(`step ${step}`, async () => step);
  return sum;
}

const STARTED = new Date('2026-11-29T10:00:00Z');
const EVENT = { version: '0', id: '6a7e8feb', source: 'bench', 'detail-type': 'steps', detail: {} };

function envelope(operations: readonly object[]): object {
  const execution = {
    Id: '5f0c6dd8',
    Type: 'EXECUTION',
    Status: 'STARTED',
    StartTimestamp: STARTED,
    ExecutionDetails: { InputPayload: JSON.stringify(EVENT) },
  };
  return {
    DurableExecutionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:bench:1/durable-execution/bench/5f0c6dd8',
    CheckpointToken: 'token',
    InitialExecutionState: { Operations: [execution, ...operations] },
  };
}

/** The first invocation of an execution. */
export function beginEvent(): object {
  return envelope([]);
}

/** A later invocation: all steps have ended. The SDK names an operation by the digest of its position. */
export function replayEvent(): object {
  return envelope(
    Array.from({ length: 50 }, (_, index) => ({
      Id: createHash('md5')
        .update(`${index + 1}`)
        .digest('hex')
        .slice(0, 16),
      Type: 'STEP',
      SubType: 'Step',
      Name: `step ${index + 1}`,
      Status: 'SUCCEEDED',
      StartTimestamp: STARTED,
      EndTimestamp: STARTED,
      StepDetails: { Attempt: 1, Result: JSON.stringify(index + 1) },
    })),
  );
}

/** Answers a checkpoint as the service does, with the state of each operation that it changes. */
export const memoryClient = {
  getExecutionState: () => Promise.reject(new Error('the whole history is in the envelope')),
  async checkpoint({ Updates = [] }) {
    const operations = Updates.map(({ Id, ParentId, Type, SubType, Name, Action, Payload }) => ({
      Id,
      ...(ParentId !== undefined && { ParentId }),
      Type,
      SubType,
      Name,
      StartTimestamp: STARTED,
      Status: Action === 'SUCCEED' ? ('SUCCEEDED' as const) : ('STARTED' as const),
      ...(Payload !== undefined && { StepDetails: { Attempt: 1, Result: Payload } }),
    }));
    return { CheckpointToken: 'token', NewExecutionState: { Operations: operations } };
  },
} satisfies DurableExecutionClient;

/** Answers as {@link memoryClient}, over HTTP. */
const API = `
const answer = ({ Updates = [] }) => JSON.stringify({
  CheckpointToken: 'token',
  NewExecutionState: {
    Operations: Updates.map(({ Id, ParentId, Type, SubType, Name, Action, Payload }) => ({
      Id, ParentId, Type, SubType, Name, StartTimestamp: 1764410400,
      Status: Action === 'SUCCEED' ? 'SUCCEEDED' : 'STARTED',
      ...(Payload !== undefined && { StepDetails: { Attempt: 1, Result: Payload } }),
    })),
  },
});
const server = require('node:http').createServer((request, response) => {
  let text = '';
  request.on('data', (part) => { text += part; });
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer(JSON.parse(text))));
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** The client that the SDK uses on Lambda, with a server in another process, whose work is not measured. */
export async function apiClient(): Promise<DurableExecutionClient> {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_LAMBDA: `http://${await startPrinting(API)}`,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  return new DurableExecutionApiClient();
}

/** The error of an answer; `null` if the execution has ended with the sum of its steps. */
export function isSum(answer: unknown, count: number): string | null {
  const { Status, Result } = answer as { readonly Status?: string; readonly Result?: string };
  const sum = `${(count * (count + 1)) / 2}`;
  return Status === 'SUCCEEDED' && Result === sum ? null : `answered ${JSON.stringify(answer).slice(0, 120)}`;
}

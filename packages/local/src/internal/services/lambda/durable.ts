import { decodeEscapes, isObject } from '@sallyport/core/internal';
import { type ExecutionSummary, toRestJson } from '@sallyport/testkit/durable';
import { ServiceError } from '@sallyport/testkit/services';
import { type Call, notServed, type Output } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import type { Executions } from '../../executions/executions.js';
import { listExecutions } from './list-executions.js';

/**
 * The function of the run that a call names.
 *
 * @throws AwsFault `ResourceNotFoundException`
 */
export type FindFunction = (called: string) => { readonly name: string; readonly qualifier: string | undefined };

/** One operation: method, path after the date of the API, and the answer. */
interface Operation {
  readonly method: string;
  readonly path: RegExp;
  readonly name: string;
  serve(executions: Executions, subject: string, call: Call, find: FindFunction): Promise<unknown> | unknown;
}

/** The operations on executions. https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html */
const OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: /^durable-executions\/([^/]+)\/checkpoint$/,
    name: 'CheckpointDurableExecution',
    serve: (executions, arn, call) => executions.checkpoint({ ...inputOf(call), DurableExecutionArn: arn } as never),
  },
  {
    method: 'GET',
    path: /^durable-executions\/([^/]+)\/state$/,
    name: 'GetDurableExecutionState',
    serve(executions, arn, call) {
      const { CheckpointToken, Marker, MaxItems } = Object.fromEntries(queryOf(call));
      return executions.engine.getExecutionState({
        DurableExecutionArn: arn,
        CheckpointToken,
        Marker,
        ...(MaxItems !== undefined && { MaxItems: Number(MaxItems) }),
      });
    },
  },
  {
    method: 'GET',
    path: /^durable-executions\/([^/]+)\/history$/,
    name: 'GetDurableExecutionHistory',
    serve(executions, arn, call) {
      const { IncludeExecutionData, MaxItems, Marker, ReverseOrder } = Object.fromEntries(queryOf(call));
      return executions.engine.getExecutionHistory({
        DurableExecutionArn: arn,
        IncludeExecutionData: IncludeExecutionData !== 'false',
        ReverseOrder: ReverseOrder === 'true',
        ...(Marker !== undefined && { Marker }),
        ...(MaxItems !== undefined && { MaxItems: Number(MaxItems) }),
      });
    },
  },
  {
    method: 'GET',
    path: /^durable-executions\/([^/]+)$/,
    name: 'GetDurableExecution',
    serve: (executions, arn, call) =>
      described(executions.engine.describe(arn), queryOf(call).get('IncludeExecutionData') !== 'false'),
  },
  {
    method: 'POST',
    path: /^durable-executions\/([^/]+)\/stop$/,
    name: 'StopDurableExecution',
    serve: (executions, arn, call) => ({ StopTimestamp: executions.engine.stop(arn, inputOf(call)) }),
  },
  {
    method: 'GET',
    path: /^functions\/([^/]+)\/durable-executions$/,
    name: 'ListDurableExecutionsByFunction',
    serve(executions, fn, call, find) {
      const { name, qualifier } = find(fn);
      const own = executions.engine.list().filter((one) => one.functionArn.includes(`:function:${name}:`));
      const { page, next } = listExecutions(own, queryOf(call), qualifier);
      return { DurableExecutions: page.map(listed), ...(next !== undefined && { NextMarker: next }) };
    },
  },
  {
    method: 'POST',
    path: /^durable-execution-callbacks\/([^/]+)\/succeed$/,
    name: 'SendDurableExecutionCallbackSuccess',
    serve(executions, id, { body }) {
      executions.engine.succeedCallback(id, body.toString());
      return {};
    },
  },
  {
    method: 'POST',
    path: /^durable-execution-callbacks\/([^/]+)\/fail$/,
    name: 'SendDurableExecutionCallbackFailure',
    serve(executions, id, call) {
      executions.engine.failCallback(id, inputOf(call));
      return {};
    },
  },
  {
    method: 'POST',
    path: /^durable-execution-callbacks\/([^/]+)\/heartbeat$/,
    name: 'SendDurableExecutionCallbackHeartbeat',
    serve(executions, id) {
      executions.engine.heartbeat(id);
      return {};
    },
  },
];

const API = '/2025-12-01/';

/** True for a path of the API for durable executions. */
export function isDurablePath(path: string): boolean {
  return path.startsWith(API);
}

/** Serves an operation on executions. */
export async function serveDurable(
  executions: Executions | undefined,
  call: Call,
  find: FindFunction,
): Promise<Output> {
  const { method, path } = call.request;
  for (const { name, serve, ...operation } of OPERATIONS) {
    const [, subject] = operation.path.exec(path.slice(API.length)) ?? [];
    if (operation.method !== method || subject === undefined) continue;
    // A callback id is a capability: it is not in the journal.
    call.note({ operation: name, ...(!path.includes('-callbacks/') && { resource: nameOf(decodeEscapes(subject)) }) });
    if (!executions) {
      throw new AwsFault(
        400,
        'InvalidParameterValueException',
        'the function is not durable: set "durable" in sallyport.json',
      );
    }
    const answer = await withFaults(() => serve(executions, decodeEscapes(subject), call, find));
    return { wire: { status: 200, headers: JSON_TYPE, body: JSON.stringify(toRestJson(answer)) } };
  }
  throw notServed('');
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** The name of an execution, or of a function. */
function nameOf(arn: string): string {
  return /\/durable-execution\/([^/]+)/.exec(arn)?.[1] ?? arn;
}

/** Runs an operation of the engine, and converts its errors. */
export async function withFaults<T>(run: () => Promise<T> | T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ServiceError) throw new AwsFault(error.status, error.name, error.message);
    throw error;
  }
}

function inputOf({ body }: Call): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = body.length === 0 ? {} : JSON.parse(body.toString());
    if (isObject(input)) return input;
  } catch {
    // As for a body that is not an object.
  }
  throw new AwsFault(400, 'InvalidRequestContentException', 'Could not parse request body into json');
}

function queryOf({ request }: Call): URLSearchParams {
  return new URLSearchParams(request.query);
}

/** An execution in a list. @see https://docs.aws.amazon.com/lambda/latest/api/API_Execution.html */
function listed({ arn, name, functionArn, status, startedAt, endedAt }: ExecutionSummary): object {
  return {
    DurableExecutionArn: arn,
    DurableExecutionName: name,
    FunctionArn: functionArn,
    Status: status,
    StartTimestamp: startedAt,
    ...(endedAt && { EndTimestamp: endedAt }),
  };
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_GetDurableExecution.html */
function described(summary: ExecutionSummary, hasData: boolean): object {
  const { payload, result, error, version, timeoutSeconds } = summary;
  return {
    ...listed(summary),
    Version: version,
    DurableConfig: { ExecutionTimeout: timeoutSeconds },
    ExecutionDataIncluded: hasData,
    ...(hasData && { InputPayload: payload, Result: result, Error: error }),
  };
}

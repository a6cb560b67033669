import { ServiceError } from '../../services/service.js';
import type { ExecutionRecord } from '../store.js';
import type { ExecutionSummary, StartExecution } from '../types.js';
import { invalidParameter } from './errors.js';
import { LIMITS } from './validate.js';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const FUNCTION_ARN = /^(arn:[^:]+:lambda:[^:]*:[^:]*:function:[^:]+)(?::([^:]+))?$/;
/** The limits of `Invoke`. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const SYNC_BYTES = 6 * 1024 * 1024;
const ASYNC_BYTES = 1024 * 1024;

/** The function's ARN without its qualifier: names of executions are unique within the function. */
export function functionOf(functionArn: string): string {
  return FUNCTION_ARN.exec(functionArn)?.[1] ?? functionArn;
}

/**
 * The record of a new execution.
 *
 * @throws ServiceError `InvalidParameterValueException`, or `RequestTooLargeException` for a payload that is too large
 */
export function newRecord(request: StartExecution, id: string, now: number): ExecutionRecord {
  const { functionArn, name = id, payload, synchronous = false, timeoutSeconds = 900 } = request;
  const [, plain, qualifier = '$LATEST'] = FUNCTION_ARN.exec(functionArn) ?? [];
  if (!plain) throw invalidParameter('FunctionName must be the ARN of a function.');
  if (!NAME.test(name)) throw invalidParameter('DurableExecutionName must have 1 to 64 characters of [A-Za-z0-9_-].');
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > LIMITS.waitSeconds) {
    throw invalidParameter(`ExecutionTimeout must be between 1 and ${LIMITS.waitSeconds}.`);
  }
  const limit = synchronous ? SYNC_BYTES : ASYNC_BYTES;
  if (Buffer.byteLength(payload) > limit) {
    throw new ServiceError('RequestTooLargeException', 413, `The payload must not exceed ${limit} bytes.`);
  }
  // https://docs.aws.amazon.com/lambda/latest/api/API_GetDurableExecution.html: an execution belongs to a version, never to an alias.
  const version = /^(\d+|\$LATEST)$/.test(qualifier) ? qualifier : '$LATEST';
  return {
    arn: `${plain}:${version}/durable-execution/${name}/${id}`,
    name,
    functionArn,
    version,
    payload,
    synchronous,
    startedAt: now,
    timeoutSeconds,
    status: 'RUNNING',
    invocations: 0,
    running: true,
    failures: 0,
    token: '',
    changed: [],
    writtenBytes: 0,
  };
}

/** The public description of a record. */
export function summaryOf(record: ExecutionRecord): ExecutionSummary {
  const { arn, name, functionArn, version, status, timeoutSeconds, payload, invocations } = record;
  return {
    arn,
    name,
    functionArn,
    version,
    status,
    startedAt: new Date(record.startedAt),
    ...(record.endedAt !== undefined && { endedAt: new Date(record.endedAt) }),
    timeoutSeconds,
    payload,
    ...(record.result !== undefined && { result: record.result }),
    ...(record.error !== undefined && { error: record.error }),
    invocations,
  };
}

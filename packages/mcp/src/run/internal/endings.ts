import { guardHook } from '@sallyport/core';
import { type Era, RPC } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, JsonObject } from '../../protocol/types.js';
import { isInstance, RpcError } from '../../server/errors.js';
import type { Call } from './call.js';
import { otherFailure, type Report, toolError, toolFailure } from './results.js';
import type { Outcome } from './run-scope.js';

/** Outcomes that end a call for good. */
export type FinalOutcome = Exclude<Outcome, { kind: 'questions' } | { kind: 'closed' } | { kind: 'cancelled' }>;

/** The result of a call, or the error that answers it. */
export async function toResult(
  call: Pick<Call, 'target' | 'complete'>,
  era: Era,
  outcome: FinalOutcome,
  report: Report,
): Promise<JsonObject | RpcError> {
  const isTool = call.target.kind === 'tool';
  switch (outcome.kind) {
    case 'answer':
      return completed(call, outcome.value, isTool, report);
    case 'failed':
      return failed(outcome.error, isTool, report);
    case 'lacks':
      return lacking(outcome.required, era, isTool);
    case 'timeout':
      guardHook(() => report.log.error('mcp.timeout', { target: call.target.name }));
      return isTool
        ? toolError(`Tool timed out (request ${report.requestId})`)
        : new RpcError(RPC.internalError, 'Timed out');
  }
}

async function completed(call: Pick<Call, 'complete'>, answer: unknown, isTool: boolean, report: Report) {
  try {
    return await call.complete(answer, report);
  } catch (error) {
    return failed(error, isTool, report);
  }
}

function failed(error: unknown, isTool: boolean, report: Report): JsonObject | RpcError {
  if (isInstance(error, RpcError)) {
    const { why } = error;
    if (why !== undefined) guardHook(() => report.log.error('mcp.call_ended', { why }));
    return error;
  }
  return isTool ? toolFailure(error, report) : otherFailure(error, report);
}

function lacking(required: ClientCapabilities, era: Era, isTool: boolean): JsonObject | RpcError {
  const [name] = Object.keys(required);
  const text =
    name === undefined ? 'This client cannot be asked for input here.' : `This needs a client that supports ${name}.`;
  if (era === 'stateless') return missingCapabilityError(required);
  return isTool ? toolError(text) : new RpcError(RPC.invalidParams, text);
}

/** Stateless era: what the client would have to declare. */
export function missingCapabilityError(requiredCapabilities: ClientCapabilities): RpcError {
  return new RpcError(RPC.missingCapability, 'Missing required client capability', { requiredCapabilities }, 400);
}

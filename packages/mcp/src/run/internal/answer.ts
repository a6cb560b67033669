import { guardHook, lazily, logFailure } from '@sallyport/core/internal';
import { type Accepted, jsonReply, messageFrame, type Reply, SSE_HEADERS } from '../../http/internal/transport.js';
import { errorText, INTERNAL_ERROR, resultText } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Era, JsonObject, RequestId } from '../../protocol/types.js';
import { isInstance, McpToolError, RpcError } from '../../server/errors.js';
import type { Call, Delivery, Ending, Report, Sink } from './call.js';
import type { FinalOutcome } from './run.js';

/** The result of a call, or the error that answers it. */
export async function toResult(
  call: Pick<Call, 'method' | 'target' | 'complete'>,
  era: Era,
  outcome: FinalOutcome,
  report: Report,
): Promise<JsonObject | RpcError> {
  const isTool = call.target.kind === 'tool';
  switch (outcome.kind) {
    case 'answer':
      try {
        return await call.complete(outcome.value, report);
      } catch (error) {
        return toFailure(error, call, report);
      }
    case 'failed':
      return toFailure(outcome.error, call, report);
    case 'lacks':
      return lacking(outcome.required, era, isTool);
    case 'timeout':
      guardHook(() => report.log.error('mcp.timeout', { method: call.method, ...call.target.facts }));
      return isTool
        ? toolError(`Tool timed out (request ${report.requestId})`)
        : new RpcError(RPC.internalError, 'Timed out');
  }
}

/** Converts an exception to an answer. Only the message of an {@link McpToolError} of a tool is sent. */
function toFailure(
  error: unknown,
  { method, target }: Pick<Call, 'method' | 'target'>,
  report: Report,
): JsonObject | RpcError {
  const { log, requestId } = report;
  const isTool = target.kind === 'tool';
  if (isInstance(error, RpcError)) {
    const { why } = error;
    if (why !== undefined) guardHook(() => log.error('mcp.call_ended', { method, ...target.facts, why }));
    return error;
  }
  if (isTool && isInstance(error, McpToolError)) return toolError(error.message);
  logFailure(() => log, 'mcp.handler_failed', error, { method, ...target.facts });
  return isTool ? toolError(`Tool failed (request ${requestId})`) : new RpcError(RPC.internalError, INTERNAL_ERROR);
}

function lacking(required: ClientCapabilities, era: Era, isTool: boolean): JsonObject | RpcError {
  const [name] = Object.keys(required);
  const text =
    name === undefined
      ? 'This client does not support input requests here.'
      : `This needs a client that supports ${name}.`;
  if (era === 'stateless') return missingCapabilityError(required);
  return isTool ? toolError(text) : new RpcError(RPC.invalidParams, text);
}

/** A tool's failure as text for the model. */
export function toolError(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Stateless era: the capabilities that the client does not declare. */
export function missingCapabilityError(requiredCapabilities: ClientCapabilities): RpcError {
  return new RpcError(RPC.missingCapability, 'Missing required client capability', { requiredCapabilities }, 400);
}

/** A result, or an error in its place, as the end of an answer. */
export function toEnding(id: RequestId, result: JsonObject | RpcError): Ending {
  if (!(result instanceof RpcError)) {
    return { messages: [resultText(id, JSON.stringify(result))], status: 200, form: 'any' };
  }
  return { messages: [errorText(id, result.code, result.message, result.data)], status: result.status, form: 'json' };
}

/** The end of a cancelled call. A stream ends without a response, but a body of JSON must not be empty. */
export function cancelledEnding(id: RequestId, { sse }: Accepted): Ending {
  return { messages: sse ? [] : [errorText(id, RPC.internalError, 'Cancelled')], status: 200, form: 'any' };
}

const OPEN_AFTER_MS = 5000;

/** Bodies of doors that stream. */
const loadStreams = lazily(() => import('./streams.js'));

/** Frames without ids; nothing is stored. */
export const PLAIN_FRAMES: Omit<Sink, 'end'> = {
  open: async () => '',
  write: async (messages) => plainFrames(messages),
  whole: async (messages) => plainFrames(messages),
  resumable: false,
};

/** Messages as events without ids: a client cannot resume from them. */
export function plainFrames(messages: readonly string[]): string {
  return messages.map((json) => messageFrame(json)).join('');
}

/**
 * Answers with the output of a run: JSON if there is only a result, else an event stream. The stream is live if the door can
 * stream.
 */
export async function deliver(delivery: Delivery): Promise<Reply> {
  const { accepted, http, run, sink, atOnce } = delivery;
  if (http.canStream && accepted.sse && (atOnce || (await comesFirst(delivery)))) {
    const { CallBody } = await loadStreams();
    return { status: 200, headers: SSE_HEADERS, body: new CallBody(delivery) };
  }
  const outcome = await run.outcome;
  const taken = await run.takeEvents();
  const events = accepted.sse ? taken : [];
  const { messages, status, form, trailer = '' } = await sink.end(outcome, events);
  const [only] = messages;
  const plain = events.length === 0 && form !== 'sse' && only !== undefined && atOnce !== true;
  if (plain && (form === 'json' || (accepted.json && !accepted.ratherSse))) return jsonReply(only, status);
  if (!accepted.sse) return jsonReply(only ?? '', status);
  const frames = await sink.whole([...events, ...messages]);
  return { status: 200, headers: SSE_HEADERS, body: frames + trailer };
}

/** True if the run sends an event, or needs a keep-alive comment, before its end. */
async function comesFirst({ run, http }: Delivery): Promise<boolean> {
  let stop = () => {};
  const event = new Promise<boolean>((resolve) => {
    run.onEvent = () => resolve(true);
    if (run.hasEvents) resolve(true);
    stop = http.clock.after(OPEN_AFTER_MS, () => resolve(true));
  });
  const ended = run.outcome.then(() => false);
  const first = await Promise.race([event, ended]);
  stop();
  run.onEvent = undefined;
  return first;
}

import { bindLogger } from './bound-log.js';
import { sanitizeLogString } from './control-characters.js';
import { type FrameworkError, isFrameworkError } from './errors.js';
import { guardHook, type Logger } from './hooks.js';
import { AGENT_INVOCATIONS, invocationProvenance, noAdapter } from './invocation.js';
import type { LambdaContext } from './surface.js';

const MAX_REQUEST_ID_CHARACTERS = 128;

/** Whether a thrown value is a failure of the service: anything but a FrameworkError that answers less than 500. */
export function isFailure(thrown: unknown): boolean {
  return !isFrameworkError(thrown) || thrown.status >= 500;
}

/** Whether a logger writes errors at all. Binding one to an invocation costs more than asking first. */
export function writesErrors(log: Logger): boolean {
  try {
    return log.isEnabled('error');
  } catch {
    return true;
  }
}

/**
 * Writes the one `error` line of a failed invocation or record.
 *
 * @param logger gives the logger of the invocation; asked here, so that its failure is dropped too
 * @param fields what else the line says
 */
export function logFailure(
  logger: () => Logger,
  message: string,
  thrown: unknown,
  fields?: Readonly<Record<string, unknown>>,
): void {
  // `undefined` and `null` can be thrown, and must show as errors.
  guardHook(() => logger().error(message, { ...fields, error: thrown ?? String(thrown) }));
}

/**
 * Writes the one `error` line of an invocation that is refused before anything of the application runs.
 *
 * @param trigger the kind of the event; `''` when it has none
 */
export function logRefusal(
  log: Logger,
  error: FrameworkError,
  lambdaContext: LambdaContext | undefined,
  trigger = '',
): void {
  if (!writesErrors(log)) return;
  logFailure(() => bindInvocation(log, lambdaContext, trigger), 'framework: invocation refused', error);
}

/** A logger whose lines carry what is known of an invocation that has no context: its request id and kind. */
export function bindInvocation(log: Logger, lambdaContext: LambdaContext | undefined, trigger: string): Logger {
  const id: unknown = lambdaContext?.awsRequestId;
  const bound = {
    request_id: typeof id === 'string' ? sanitizeLogString(id).slice(0, MAX_REQUEST_ID_CHARACTERS) : '',
    trace_id: '',
    tenant_id: '',
    trigger,
    function_name: '',
    function_version: '',
  };
  return bindLogger(log, bound, () => undefined);
}

/**
 * For entrypoints that serve one kind of event and no agent. A refusal is logged.
 *
 * @throws FrameworkError `dispatch.no_adapter` for an agent invocation, whatever its event looks like
 */
export function refuseAgent(lambdaContext: LambdaContext | undefined, log: Logger): void {
  if (invocationProvenance(lambdaContext) !== 'agent') return;
  const error = noAdapter(AGENT_INVOCATIONS);
  logRefusal(log, error, lambdaContext);
  throw error;
}

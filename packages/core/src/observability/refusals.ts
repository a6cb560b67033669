import type { FrameworkError } from '../errors/errors.js';
import { AGENT_INVOCATIONS, invocationProvenance, type LambdaContext, noAdapter } from '../runtime/invocation.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
import { bindLogger } from './bound-log.js';
import { type Logger, logFailure, writesErrors } from './hooks.js';

const MAX_REQUEST_ID_CHARACTERS = 128;

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

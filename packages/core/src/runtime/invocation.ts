import { FrameworkError } from '../errors/errors.js';
import type { LambdaContext } from './surface.js';

/**
 * What the Lambda context says of who called the function. `agent`: an agent gateway calls a tool, and the event is what a
 * model wrote. `direct`: somebody called the `Invoke` API by hand and says so. `provider`: nothing says otherwise. That is no
 * proof: whoever may call `lambda:InvokeFunction` can send any event without a client context, and IAM decides who may.
 */
export type InvocationProvenance = 'provider' | 'direct' | 'agent';

/**
 * Reads the provenance of an invocation from its Lambda context; never throws. The client context is a parameter of the
 * synchronous `Invoke` call (https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html), so services that invoke
 * asynchronously and event source mappings send none. A context that cannot be read is `direct`.
 *
 * @example invocationProvenance({ clientContext: { custom: { bedrockAgentCoreToolName: 'notes___add' } } }); // 'agent'
 */
export function invocationProvenance(lambdaContext: LambdaContext | undefined): InvocationProvenance {
  try {
    const clientContext = lambdaContext?.clientContext as ClientContext | null | undefined;
    if (clientContext !== undefined && clientContext !== null) {
      const { custom, Custom } = clientContext;
      return hasAgentKey(custom) || hasAgentKey(Custom) ? 'agent' : 'direct';
    }
    const id = (lambdaContext?.identity as Identity | null | undefined)?.cognitoIdentityId;
    return typeof id === 'string' && id.trim() !== '' ? 'direct' : 'provider';
  } catch {
    return 'direct';
  }
}

interface ClientContext {
  readonly custom?: unknown;
  /** The spelling of the mobile SDKs. */
  readonly Custom?: unknown;
}

interface Identity {
  readonly cognitoIdentityId?: unknown;
}

/** AgentCore Gateway sets `bedrockAgentCoreToolName`, `bedrockAgentCoreGatewayId`, … there. */
function hasAgentKey(custom: unknown): boolean {
  return Object.getOwnPropertyNames(custom ?? '').some((name) => /^bedrockagentcore/i.test(name));
}

/** What a refusal names in the place of a kind. */
export const AGENT_INVOCATIONS = 'agent invocations';

/** The error for what is recognised and served by nobody. */
export function noAdapter(what: string): FrameworkError {
  return new FrameworkError('dispatch.no_adapter', `framework: no adapter for ${what}`);
}

/**
 * For entrypoints that serve one kind of event and no agent.
 *
 * @throws FrameworkError `dispatch.no_adapter` for an agent invocation, whatever its event looks like
 */
export function refuseAgent(lambdaContext: LambdaContext | undefined): void {
  if (invocationProvenance(lambdaContext) === 'agent') throw noAdapter(AGENT_INVOCATIONS);
}

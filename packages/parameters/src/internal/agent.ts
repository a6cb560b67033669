import type { FullClock } from '@sallyport/core';
import { isObject, ownOf, withDeadline } from '@sallyport/core/internal';
import { ParametersError } from '../errors.js';
import type { FlagsProfile } from '../readers.js';
import { notFound, toParametersError } from './source.js';

/** Port and time limit of the Agent. */
interface AgentSettings {
  readonly port: string;
  readonly clock: FullClock;
  readonly timeoutMs: number;
}

/**
 * A flag as AppConfig Agent evaluates it for a context.
 *
 * @throws ParametersError `parameters.agent_required`, `parameters.invalid_input`, `parameters.not_found`, `parameters.unavailable`
 * @see https://docs.aws.amazon.com/appconfig/latest/userguide/appconfig-integration-retrieving-feature-flags.html
 * @see https://docs.aws.amazon.com/appconfig/latest/userguide/appconfig-code-samples-agent-read-feature-flag-with-variants.html
 */
export async function evaluate(
  { application, environment, profile }: FlagsProfile,
  name: string,
  context: Readonly<Record<string, string>>,
  { port, clock, timeoutMs: ms }: AgentSettings,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const parts = ['applications', application, 'environments', environment, 'configurations', profile];
  const url = `http://localhost:${port}/${parts.map(encodeURIComponent).join('/')}?flag=${encodeURIComponent(name)}`;
  const headers = { context: contextHeader(name, context) };
  try {
    return await withDeadline({ ms, clock, signal }, async (inner) => {
      const answer = await fetch(url, { headers, signal: inner });
      if (answer.status === 404) throw notFound(`the flag ${name}`);
      // A failure of the Agent is classified by its status, as a failure of AWS.
      if (!answer.ok) throw { $metadata: { httpStatusCode: answer.status } };
      const value: unknown = await answer.json();
      return isObject(value) && !('enabled' in value) ? ownOf(value, name) : value;
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (((error as Error).cause as { readonly code?: unknown } | undefined)?.code !== 'ECONNREFUSED')
      throw toParametersError(error, `the flag ${name}`);
    const problem = `the flags of ${profile} have variants: add the layer of AppConfig Agent to the function`;
    throw new ParametersError('parameters.agent_required', problem, error);
  }
}

/** Keys and values that the Agent reads unchanged: a comma would start a new pair. */
function contextHeader(name: string, context: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(context);
  const wrong = pairs.find(([key, value]) => !/^[\w.-]+$/.test(key) || !/^[\x20-\x2b\x2d-\x7e]*$/.test(value));
  if (!wrong) return pairs.map((pair) => pair.join('=')).join(',');
  const problem = `the flag ${name} needs context values of printable ASCII without commas, unlike ${JSON.stringify(wrong[0])}`;
  throw new ParametersError('parameters.invalid_input', problem);
}

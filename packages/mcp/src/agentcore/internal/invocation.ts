import { FrameworkError, type LambdaContext } from '@sallyport/core';
import { isObject } from '@sallyport/core/internal';
import { own } from '../../protocol/internal/json-rpc.js';
import type { JsonObject } from '../../protocol/types.js';

/** The gateway's data about a call, in addition to the arguments. */
export interface AgentCall {
  /** The name of the target in the gateway. */
  readonly target: string;
  /** The registered name of the tool. */
  readonly tool: string;
  /** The headers that the target is allowed to receive. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Delimiter between the names of target and tool; target names contain no underscore. */
const DELIMITER = '___';

/**
 * Reads the client context of a call.
 *
 * @throws FrameworkError `mcp.invalid_agent_call` if it contains no tool name, or cannot be read
 */
export function readAgentCall(lambdaContext: LambdaContext | undefined): AgentCall {
  const call = readQuietly(lambdaContext?.clientContext);
  if (call === undefined) throw invalidAgentCall('the client context names no tool');
  return call;
}

/** A call of the gateway that cannot be served. */
export function invalidAgentCall(why: string): FrameworkError {
  return new FrameworkError('mcp.invalid_agent_call', `framework: mcp: agent call: ${why}`);
}

/** Reads a client context, which its caller can choose freely: a member that throws makes it unreadable. */
function readQuietly(clientContext: unknown): AgentCall | undefined {
  try {
    const { custom, Custom } = clientContext as { readonly custom?: unknown; readonly Custom?: unknown };
    return readCustom(custom) ?? readCustom(Custom);
  } catch {
    return undefined;
  }
}

function readCustom(custom: unknown): AgentCall | undefined {
  if (!isObject(custom)) return undefined;
  const name = own(custom, 'bedrockAgentCoreToolName');
  const cut = typeof name === 'string' ? name.indexOf(DELIMITER) : -1;
  if (typeof name !== 'string' || cut < 0) return undefined;
  const tool = name.slice(cut + DELIMITER.length);
  if (tool === '') return undefined;
  const headers = own(custom, 'bedrockAgentCorePropagatedHeaders');
  return { target: name.slice(0, cut), tool, headers: isObject(headers) ? textsOf(headers) : {} };
}

function textsOf(headers: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

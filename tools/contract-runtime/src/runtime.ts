import {
  AREAS,
  type ContractRuntime,
  type DoneMessage,
  type HelloAnswer,
  type JsonObject,
  PROTOCOL,
  type RunMessage,
  type UnsupportedMessage,
} from '@sallyport/contract';
import { buildContainer, type Container } from './container.js';
import { toErrorObject } from './failure.js';
import { FUNCTIONS, type PortableFunctions, preload } from './functions/index.js';
import { EVENT_HANDLER_NAMES } from './handlers/event.js';
import { MCP_HANDLER_NAMES } from './handlers/mcp.js';
import { REQUEST_HANDLER_NAMES } from './handlers/request.js';
import { CALL_NAMES, runStep } from './steps.js';
import { Unsupported } from './unsupported.js';
import { createWorld } from './world.js';

/**
 * The TypeScript packages as a runtime of the contract. Each fixture gets a new container, and no data is kept.
 *
 * @param tools additional functions, which are not available on Lambda
 */
export function createTypeScriptRuntime(tools: PortableFunctions = {}): ContractRuntime {
  const functions = { ...FUNCTIONS, ...tools };
  return {
    hello: () => hello(functions),
    run: (message) => run(message, functions),
    bye: async () => {},
  };
}

async function hello(functions: PortableFunctions): Promise<HelloAnswer> {
  await preload();
  return {
    type: 'hello',
    protocol: PROTOCOL,
    runtime: { name: 'typescript', version: '0.0.0' },
    areas: AREAS,
    calls: [...CALL_NAMES, ...Object.keys(functions)],
    handlers: [...new Set([...REQUEST_HANDLER_NAMES, ...EVENT_HANDLER_NAMES, ...MCP_HANDLER_NAMES])],
  };
}

async function run(message: RunMessage, functions: PortableFunctions): Promise<DoneMessage | UnsupportedMessage> {
  const { seq } = message;
  try {
    return await runFixture(message, functions);
  } catch (error) {
    if (error instanceof Unsupported || isMissingModule(error)) {
      return { type: 'unsupported', seq, reason: (error as Error).message };
    }
    throw error;
  }
}

async function runFixture({ seq, setup, steps }: RunMessage, functions: PortableFunctions): Promise<DoneMessage> {
  const world = createWorld(setup, steps);
  let container: Container | undefined;
  try {
    container = await buildContainer(setup, world);
  } catch (error) {
    if (error instanceof Unsupported || isMissingModule(error)) throw error;
    return { type: 'done', seq, construction_error: toErrorObject(error), steps: [] };
  }
  const outcomes: JsonObject[] = [];
  for (const step of steps) outcomes.push(await runStep(step, outcomes, { setup, container, world, functions }));
  return { type: 'done', seq, construction_error: null, steps: outcomes };
}

/** True for a missing package, which fails only its own fixtures. */
function isMissingModule(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}

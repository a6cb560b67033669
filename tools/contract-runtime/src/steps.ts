import { type Json, type JsonObject, type LambdaSetup, refer, type Setup, type Step } from '@sallyport/contract';
import type { LambdaContext, RequestInput, Response } from '@sallyport/core';
import { renameKeys, toCamel, toSnake } from './casing.js';
import type { Container } from './container.js';
import { toErrorObject } from './failure.js';
import { callFunction, type PortableFunctions } from './functions/index.js';
import { streamThrough } from './streaming.js';
import { Unsupported } from './unsupported.js';
import { responseOf, resultOf } from './wire.js';
import { takeRecords, type World } from './world.js';

interface StepParts {
  readonly step: Step;
  readonly container: Container | undefined;
  readonly world: World;
  readonly functions: PortableFunctions;
  readonly lambdaContext: LambdaContext | undefined;
}

/** The direct entrypoints under the names that fixtures use. */
const ENTRYPOINTS: Readonly<Record<string, string>> = {
  serve_queue: 'serveQueueEvent',
  serve_table_stream: 'serveTableStream',
  serve_stream: 'serveStreamEvent',
  serve_kinesis: 'serveKinesisEvent',
  serve_topic: 'serveTopicEvent',
  serve_eventbus: 'serveEventBus',
  serve_appsync: 'serveAppSync',
  serve_websocket: 'serveWebSocket',
  serve_apigw_v2: 'serveGatewayV2',
  serve_lambda_function_url: 'serveLambdaFunctionURL',
  serve_alb: 'serveLoadBalancer',
  serve_apigw_proxy: 'serveGatewayProxy',
};

const CALLS: Readonly<Record<string, (parts: StepParts) => Promise<JsonObject>>> = {
  dispatch: async ({ container, step, lambdaContext }) =>
    resultOf(await member(container, 'handleLambda')(step.event, lambdaContext)),
  detect: async ({ container, step }) => {
    const { detect } = await import('@sallyport/dispatch');
    return resultOf((container?.detect ?? detect)(step.event));
  },
  explain: async ({ container, step, lambdaContext }) => {
    const { explain } = await import('@sallyport/dispatch');
    const ask = container ? member(container, 'explain') : explain;
    return resultOf(await ask(step.event, lambdaContext));
  },
  serve: async ({ container, step, lambdaContext }) => {
    const request = toRequest(step.request ?? {});
    return responseOf((await member(container, 'serve')(request, lambdaContext)) as Response);
  },
  stream: async ({ container, step, lambdaContext }) =>
    streamThrough(container as Container, step.event, lambdaContext),
  routes: async ({ container }) => resultOf(renameKeys(await member(container, 'routes')(), toSnake)),
  triggers: async ({ container }) => resultOf(renameKeys(await member(container, 'triggers')(), toSnake)),
  openapi: async ({ container, step }) => resultOf(await member(container, 'generateOpenAPI')(openApiSpec(step.args))),
};

/** Common data of a fixture's steps. */
interface Stage {
  readonly setup: Setup;
  readonly container: Container | undefined;
  readonly world: World;
  readonly functions: PortableFunctions;
}

/** Runs one step and returns its outcome; a clock that must advance does so while the call runs. */
export async function runStep(given: Step, earlier: readonly JsonObject[], stage: Stage): Promise<JsonObject> {
  const { setup, container, world, functions } = stage;
  const answer = settle(async () => {
    const step = refer(given as unknown as Json, earlier) as unknown as Step;
    if (step.principal !== undefined) world.principal = step.principal;
    const lambda = step.lambda === undefined ? setup.lambda : step.lambda;
    const lambdaContext = lambda ? world.env.lambdaContext(lambdaOptions(lambda)) : undefined;
    return call({ step, container, world, functions, lambdaContext });
  });
  if (given.advance_ms !== undefined) await world.env.clock.advance(given.advance_ms);
  return { ...(await answer), ...takeRecords(world) };
}

async function call(parts: StepParts): Promise<JsonObject> {
  const { step, container, world, functions, lambdaContext } = parts;
  const known = CALLS[step.call];
  if (known) return known(parts);
  const entrypoint = ENTRYPOINTS[step.call];
  if (entrypoint !== undefined) {
    const target = (container?.router ?? container) as Container | undefined;
    return resultOf(await member(target, entrypoint)(step.event, lambdaContext));
  }
  const portable = functions[step.call];
  if (!portable) throw new Unsupported(`no call ${step.call}`);
  return resultOf(await callFunction(portable, (step.args ?? {}) as JsonObject, world));
}

/** A thrown error is an outcome too, unless it means that the fixture cannot be run. */
async function settle(run: () => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof Unsupported) throw thrown;
    return { error: toErrorObject(thrown) };
  }
}

function member(container: Container | undefined, name: string): (...args: unknown[]) => unknown {
  const found = container?.[name];
  if (typeof found !== 'function') throw new Unsupported(`the container has no ${name}`);
  return found.bind(container);
}

function lambdaOptions(lambda: LambdaSetup): object {
  const { request_id, remaining_ms, tenant_id, trace_id, function_name, client_context, cognito_identity_id } = lambda;
  const { invoked_function_arn } = lambda;
  return {
    ...(request_id !== undefined && { requestId: request_id }),
    ...(remaining_ms !== undefined && { remainingMs: remaining_ms }),
    ...(tenant_id !== undefined && { tenantId: tenant_id }),
    ...(trace_id !== undefined && { traceId: trace_id }),
    ...(function_name !== undefined && { functionName: function_name }),
    ...(invoked_function_arn !== undefined && { invokedFunctionArn: invoked_function_arn }),
    ...(client_context !== undefined && { clientContext: client_context }),
    ...(cognito_identity_id !== undefined && { cognitoIdentityId: cognito_identity_id }),
  };
}

function toRequest({ body, is_base64, source_provenance, ...request }: JsonObject): RequestInput {
  const { base64, json } = (typeof body === 'object' && body !== null ? body : {}) as JsonObject;
  return {
    ...(request as unknown as RequestInput),
    ...(typeof body === 'string' && { body }),
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(typeof base64 === 'string' && { body: Buffer.from(base64, 'base64') }),
    ...(is_base64 !== undefined && { isBase64: is_base64 === true }),
    ...(source_provenance !== undefined && { sourceProvenance: toProvenance(source_provenance) }),
  };
}

function toProvenance(value: Json): NonNullable<RequestInput['sourceProvenance']> {
  const { source_ip, ...rest } = (value ?? {}) as JsonObject;
  return { ...rest, sourceIP: source_ip } as unknown as NonNullable<RequestInput['sourceProvenance']>;
}

/** The specification's own top-level names and the names of its routes are converted; schemes and fields are OpenAPI's. */
function openApiSpec(args: Json | undefined): unknown {
  const { routes, auth_schemes, security_schemes, ...rest } = (args ?? {}) as JsonObject;
  return {
    ...rest,
    ...(security_schemes !== undefined && { securitySchemes: security_schemes }),
    ...(auth_schemes !== undefined && { authSchemes: renameKeys(auth_schemes, toCamel) }),
    ...(routes !== undefined && { routes: renameKeys(routes, toCamel) }),
  };
}

export const CALL_NAMES: readonly string[] = [...Object.keys(CALLS), ...Object.keys(ENTRYPOINTS)];

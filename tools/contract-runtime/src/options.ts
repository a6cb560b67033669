import type { Json, JsonObject, Named, Setup } from '@sallyport/contract';
import { type Context, FrameworkError, isFrameworkError, type Result } from '@sallyport/core';
import type { FinalResponse } from '@sallyport/http';
import type { JwtPrincipalOptions } from '@sallyport/secure/jwt';
import { renameKeys, toCamel } from './casing.js';
import { requestHandler } from './handlers/request.js';
import type { World } from './world.js';

/** Options whose values are the results of a function. */
const HOOKS = new Set(['auth_hook', 'policy_hook', 'challenge_hook']);

/** Options for the hooks of HTTP. */
const HTTP_HOOKS: Readonly<Record<string, (spec: JsonObject, world: World) => unknown>> = {
  on_error: (spec, world) => (ctx: Context, error: unknown) => {
    world.calls.push({ hook: 'on_error', code: isFrameworkError(error) ? error.code : '' });
    return answerOf(spec, world, ctx);
  },
  not_found: (spec, world) => (ctx: Context) => {
    world.calls.push({ hook: 'not_found' });
    return answerOf(spec, world, ctx);
  },
  on_response: (spec, world) => (_ctx: Context, response: FinalResponse) => {
    world.calls.push({ hook: 'on_response', status: response.status });
    if (spec.fail !== undefined) throw new Error(String(spec.fail));
    for (const [name, value] of Object.entries((spec.headers ?? {}) as JsonObject)) {
      response.headers[name] = [String(value)];
    }
  },
};

function answerOf({ fail, reply }: JsonObject, world: World, ctx: Context): Result | undefined {
  if (fail !== undefined) throw new Error(String(fail));
  return reply === undefined ? undefined : requestHandler(reply as Named, world)(ctx);
}

/** A container's options: the environment's own, and the fixture's in our spelling. */
export function containerOptions(setup: Setup, world: World): Record<string, unknown> {
  const own = Object.entries(setup.options ?? {}).map(([name, value]): [string, unknown] => {
    const hook = HTTP_HOOKS[name];
    if (hook) return [toCamel(name), hook(value as JsonObject, world)];
    return [toCamel(name), HOOKS.has(name) ? () => answerHook(value) : optionValue(name, value)];
  });
  return { ...world.env.options(), ...Object.fromEntries(own) };
}

function optionValue(name: string, value: Json): unknown {
  if (name === 'doors') return renameKeys(value, (key) => (key === 'graphql_api' ? 'graphQLApi' : toCamel(key)));
  return name === 'limits' || name === 'cors' ? renameKeys(value, toCamel) : value;
}

function answerHook(value: Json): Json {
  const { fail } = (typeof value === 'object' && value !== null ? value : {}) as JsonObject;
  if (fail !== undefined) throw new FrameworkError(String(fail));
  return value;
}

/** The principal resolver of a fixture that names principals, or the resolver for bearer tokens. */
export async function principalOptions({ bearer }: Setup, world: World): Promise<Record<string, unknown>> {
  if (bearer) {
    const { jwtPrincipalResolver } = await import('@sallyport/secure/jwt');
    return { principalResolver: jwtPrincipalResolver(bearer as unknown as JwtPrincipalOptions) };
  }
  return world.resolves ? { principalResolver: () => resolvePrincipal(world.principal) } : {};
}

/** A principal object's own keys are converted to our spelling; claims are unchanged. */
function resolvePrincipal(principal: Json): unknown {
  if (typeof principal !== 'object' || principal === null || Array.isArray(principal)) return principal;
  const { fail, message, ...fields } = principal as JsonObject;
  if (fail === 'plain') throw new Error(String(message ?? 'plain failure'));
  if (fail !== undefined) throw new FrameworkError(String(fail), message === undefined ? undefined : String(message));
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [toCamel(key), value]));
}

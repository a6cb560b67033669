import type { Json, JsonObject, Registration, Setup } from '@sallyport/contract';
import type { StandardSchema, Surface } from '@sallyport/core';
import type { EventHandler } from '@sallyport/streams';
import { eventHandler } from './handlers/event.js';
import { makeServer } from './mcp.js';
import { makePosture } from './postures.js';
import { validate } from './validate.js';
import type { World } from './world.js';

type Make = (registrations: readonly Registration[], world: World) => Promise<Surface>;

/** Surfaces outside the fixed table; all registrations of one kind go to one surface. */
const SURFACES: Readonly<Record<string, Make>> = {
  s3: async (registrations, world) => {
    const { s3Trigger } = await import('@sallyport/triggers/s3');
    const surface = s3Trigger();
    for (const { name = '', handler = null } of registrations) surface.bucket(name, eventHandler(handler, world));
    return surface;
  },
  cognito: async (registrations, world) => {
    const { cognitoTrigger } = await import('@sallyport/triggers/cognito');
    const surface = cognitoTrigger();
    for (const { name = '', handler = null } of registrations) {
      surface.on(name, eventHandler(handler, world) as EventHandler<unknown> as never);
    }
    return surface;
  },
  invoke: async (registrations, world) => {
    const { directInvoke } = await import('@sallyport/triggers/invoke');
    const surface = directInvoke();
    for (const { name = '', handler = null, options = {} } of registrations) {
      surface.invoke(name, schemaOf(options.schema ?? {}), eventHandler(handler, world));
    }
    return surface;
  },
  'authorizer-token': async ([registration], world) => {
    const { allow, tokenAuthorizer, unauthorized } = await import('@sallyport/triggers/authorizer');
    const handler = eventHandler(registration?.handler ?? null, world);
    return tokenAuthorizer(async (ctx, request) => {
      const result = await handler(ctx, request);
      const { decision, principal_id, context } = (result ?? {}) as Record<string, unknown>;
      if (decision === 'allow') return allow(String(principal_id), context ? { context: context as JsonObject } : {});
      return decision === 'unauthorized' ? unauthorized() : (result as never);
    });
  },
  agentcore: async ([registration], world) => {
    const { agentCoreTools } = await import('@sallyport/mcp/agentcore');
    const { name, posture } = registration as Registration;
    return agentCoreTools(await makeServer(registration as Registration, world), {
      ...(name !== undefined && { target: name }),
      ...(posture && { posture: await makePosture(posture) }),
    });
  },
  'agentcore-interceptor': async ([registration], world) => {
    const { agentCoreInterceptor, pass, reject, rewrite } = await import('@sallyport/mcp/agentcore');
    const handler = eventHandler(registration?.handler ?? null, world);
    const decide = async (ctx: unknown, message: unknown) => {
      const { decision, status, text, ...changes } = ((await handler(ctx as never, message)) ?? {}) as JsonObject;
      if (decision === 'pass') return pass();
      if (decision === 'reject') return reject(Number(status), String(text));
      return decision === 'rewrite'
        ? rewrite({ ...changes, ...(status && { status: Number(status) }) })
        : (null as never);
    };
    return agentCoreInterceptor({ request: decide, response: decide });
  },
};

/** A Standard Schema that checks by JSON Schema. */
function schemaOf(schema: Json): StandardSchema {
  const check = (value: unknown) =>
    validate(schema as JsonObject, value as Json).length === 0 ? { value } : { issues: [{ message: '' }] };
  return { '~standard': { version: 1, vendor: 'fixture', validate: check } };
}

/** Whether a registration is of a surface outside the fixed table. */
export function isOptIn({ surface }: Registration): boolean {
  return surface in SURFACES;
}

/** The surfaces that a setup registers with; none for most. */
export async function makeSurfaces({ register = [] }: Setup, world: World): Promise<Surface[]> {
  const kinds = [...new Set(register.filter(isOptIn).map(({ surface }) => surface))];
  const surfaces: Surface[] = [];
  // One after the other: the test runner cannot load one module twice at once.
  for (const kind of kinds) {
    const registrations = register.filter(({ surface }) => surface === kind);
    surfaces.push(await (SURFACES[kind] as Make)(registrations, world));
  }
  return surfaces;
}

import type { Json, JsonObject, Registration, Setup } from '@sallyport/contract';
import type { StandardSchema, Surface } from '@sallyport/core';
import type { EventHandler } from '@sallyport/streams';
import { CATALOGUE, type CatalogueEntry, type SampleRegistration } from '@sallyport/triggers/catalogue';
import { camelOptions } from './casing.js';
import { eventHandler } from './handlers/event.js';
import { makeServer } from './mcp.js';
import { makePosture } from './postures.js';
import { validate } from './validate.js';
import type { World } from './world.js';

type Make = (registrations: readonly Registration[], world: World) => Promise<Surface>;

/** Surfaces whose results or options JSON cannot express; the catalogue of triggers makes all others. */
const SURFACES: Readonly<Record<string, Make>> = {
  invoke: async (registrations, world) => {
    const { directInvoke } = await import('@sallyport/triggers');
    const surface = directInvoke();
    for (const { name = '', handler = null, options = {} } of registrations) {
      surface.invoke(name, schemaOf(options.schema ?? {}), eventHandler(handler, world));
    }
    return surface;
  },
  firehose: async ([registration], world) => {
    const { drop, firehoseTransform } = await import('@sallyport/triggers');
    const handler = handlerOf(registration, world);
    return firehoseTransform(async (ctx, { data, ...record }) => {
      const result = await handler(ctx, { ...record, text: Buffer.from(data).toString() });
      const { text, partition_keys, dropped } = (result ?? {}) as Record<string, unknown>;
      if (dropped === true) return drop();
      if (typeof text !== 'string') return result as never;
      const bytes = Buffer.from(text);
      return partition_keys ? { data: bytes, partitionKeys: partition_keys as Record<string, string> } : bytes;
    });
  },
  'appsync-events': async (registrations, world) => {
    const { appSyncEvents, drop } = await import('@sallyport/triggers');
    const surface = appSyncEvents();
    for (const one of registrations) {
      const [name, handler] = named(one, world);
      const posture = one.posture && ((await makePosture(one.posture)) as object);
      if (one.options?.operation === 'SUBSCRIBE') surface.subscribe(name, handler as never, posture);
      else surface.publish(name, async (ctx, event) => toEvent(await handler(ctx, event), drop), posture);
    }
    return surface;
  },
  'bedrock-agent': async (registrations, world) => {
    const { bedrockAgent } = await import('@sallyport/triggers');
    const agent = bedrockAgent();
    for (const one of registrations) {
      const [name, handler] = named(one, world);
      agent.function('orders', name, handler as never, one.posture && ((await makePosture(one.posture)) as object));
    }
    return agent;
  },
  'appsync-authorizer': async ([registration], world) => {
    const { AppSyncDecision, appSyncAuthorizer } = await import('@sallyport/triggers');
    const handler = handlerOf(registration, world);
    return appSyncAuthorizer(async (ctx, request) => {
      const result = await handler(ctx, request);
      const { decision, context } = (result ?? {}) as Record<string, unknown>;
      return decision === 'allow'
        ? AppSyncDecision.allow(context ? { context: context as Record<string, string> } : {})
        : (result as never);
    });
  },
  'authorizer-token': async ([registration], world) => {
    const { allow, tokenAuthorizer, unauthorized } = await import('@sallyport/triggers');
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

function handlerOf(registration: Registration | undefined, world: World): EventHandler<unknown> {
  return eventHandler(registration?.handler ?? null, world);
}

function named(registration: Registration, world: World): [string, EventHandler<unknown>] {
  return [registration.name ?? '', handlerOf(registration, world)];
}

/** The result of a channel's handler; `{ "dropped": true }` drops the event. */
function toEvent(result: unknown, drop: () => unknown): unknown {
  return (result as { dropped?: boolean } | null | undefined)?.dropped === true ? drop() : result;
}

/** A Standard Schema that checks by JSON Schema. */
function schemaOf(schema: Json): StandardSchema {
  const check = (value: unknown) =>
    validate(schema as JsonObject, value as Json).length === 0 ? { value } : { issues: [{ message: '' }] };
  return { '~standard': { version: 1, vendor: 'fixture', validate: check } };
}

/** An AWS client that records each command, with its input, and accepts it. */
function recordingClient({ calls }: World) {
  return {
    send: async (command: { readonly input: unknown }) => {
      calls.push({ sent: command.constructor.name, input: JSON.parse(JSON.stringify(command.input)) as Json });
      return {};
    },
  };
}

/** A surface of the catalogue with the handlers of the registrations, and the options of the first. */
function fromCatalogue({ sample }: CatalogueEntry): Make {
  return async (registrations, world) => {
    const given = camelOptions(registrations[0]?.options ?? {});
    const options = sample.sends ? { client: recordingClient(world), ...given } : given;
    const handlers = registrations.map((one): SampleRegistration => {
      const [name, handler] = named(one, world);
      return [name, handler as never];
    });
    return sample.register(handlers, options as never);
  };
}

function makerOf(surface: string): Make | undefined {
  const entry = (CATALOGUE as Readonly<Record<string, CatalogueEntry>>)[surface];
  return SURFACES[surface] ?? (entry && fromCatalogue(entry));
}

/** True if a registration is of a surface outside the fixed table. */
export function isOptIn({ surface }: Registration): boolean {
  return makerOf(surface) !== undefined;
}

/** The surfaces that a setup registers with; empty for most setups. */
export async function makeSurfaces({ register = [] }: Setup, world: World): Promise<Surface[]> {
  const kinds = [...new Set(register.filter(isOptIn).map(({ surface }) => surface))];
  const surfaces: Surface[] = [];
  // One after the other: the test runner cannot load a module twice concurrently.
  for (const kind of kinds) {
    const registrations = register.filter(({ surface }) => surface === kind);
    surfaces.push(await (makerOf(kind) as Make)(registrations, world));
  }
  return surfaces;
}

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
  kafka: async (registrations, world) => {
    const { kafkaTrigger } = await import('@sallyport/triggers/kafka');
    const onFailure = registrations[0]?.options?.on_failure as 'throw' | 'report' | undefined;
    const surface = kafkaTrigger(onFailure && { onFailure });
    for (const one of registrations) surface.topic(...named(one, world));
    return surface;
  },
  mq: async (registrations, world) => {
    const { mqTrigger } = await import('@sallyport/triggers/mq');
    const surface = mqTrigger();
    for (const one of registrations) surface.queue(...named(one, world));
    return surface;
  },
  documentdb: async (registrations, world) => {
    const { documentDb } = await import('@sallyport/triggers/documentdb');
    const surface = documentDb();
    for (const one of registrations) surface.collection(...named(one, world));
    return surface;
  },
  logs: async (registrations, world) => {
    const { logsTrigger } = await import('@sallyport/triggers/logs');
    const surface = logsTrigger();
    for (const one of registrations) surface.group(...named(one, world));
    return surface;
  },
  'secret-rotation': async (registrations, world) => {
    const { secretRotation } = await import('@sallyport/triggers/secret-rotation');
    const surface = secretRotation();
    for (const one of registrations) {
      const [name, step] = named(one, world);
      surface.secret(name, { createSecret: step, setSecret: step, testSecret: step, finishSecret: step });
    }
    return surface;
  },
  alarm: async ([registration], world) => {
    const { alarmAction } = await import('@sallyport/triggers/alarm');
    return alarmAction(handlerOf(registration, world));
  },
  ses: async ([registration], world) => {
    const { sesTrigger } = await import('@sallyport/triggers/ses');
    const onError = registration?.options?.on_error as 'stop' | 'continue';
    return sesTrigger({ onError }).rule(handlerOf(registration, world) as never);
  },
  'custom-resource': async ([registration], world) => {
    const { customResource } = await import('@sallyport/triggers/custom-resource');
    const run = handlerOf(registration, world) as never;
    const cdkProvider = registration?.options?.cdk_provider === true;
    return customResource({ create: run, update: run, delete: run }, { cdkProvider });
  },
  firehose: async ([registration], world) => {
    const { drop, firehoseTransform } = await import('@sallyport/triggers/firehose');
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
  's3-batch': async ([registration], world) => {
    const { s3Batch } = await import('@sallyport/triggers/s3-batch');
    return s3Batch(handlerOf(registration, world) as never);
  },
  'appsync-events': async (registrations, world) => {
    const { appSyncEvents, drop } = await import('@sallyport/triggers/appsync-events');
    const surface = appSyncEvents();
    for (const one of registrations) {
      const [name, handler] = named(one, world);
      const posture = one.posture && ((await makePosture(one.posture)) as object);
      if (one.options?.operation === 'SUBSCRIBE') surface.subscribe(name, handler as never, posture);
      else surface.publish(name, async (ctx, event) => toEvent(await handler(ctx, event), drop), posture);
    }
    return surface;
  },
  'appsync-authorizer': async ([registration], world) => {
    const { allow, appSyncAuthorizer } = await import('@sallyport/triggers/appsync-authorizer');
    const handler = handlerOf(registration, world);
    return appSyncAuthorizer(async (ctx, request) => {
      const result = await handler(ctx, request);
      const { decision, context } = (result ?? {}) as Record<string, unknown>;
      return decision === 'allow'
        ? allow(context ? { context: context as Record<string, string> } : {})
        : (result as never);
    });
  },
  lattice: async () => {
    const { latticeDoor } = await import('@sallyport/triggers/lattice');
    return latticeDoor();
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

/** True if a registration is of a surface outside the fixed table. */
export function isOptIn({ surface }: Registration): boolean {
  return surface in SURFACES;
}

/** The surfaces that a setup registers with; empty for most setups. */
export async function makeSurfaces({ register = [] }: Setup, world: World): Promise<Surface[]> {
  const kinds = [...new Set(register.filter(isOptIn).map(({ surface }) => surface))];
  const surfaces: Surface[] = [];
  // One after the other: the test runner cannot load a module twice concurrently.
  for (const kind of kinds) {
    const registrations = register.filter(({ surface }) => surface === kind);
    surfaces.push(await (SURFACES[kind] as Make)(registrations, world));
  }
  return surfaces;
}

import type { OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { LambdaContext } from '@sallyport/core';
import { FrameworkError } from '@sallyport/core';
import { headersFor } from '../doors/iam-authorizer.js';
import { HTTP_DOORS } from '../doors/send-through-door.js';
import { FaultLog } from '../guard/listener.js';
import { POLICIES } from '../guard/policies.js';
import type { Part } from '../host/base.js';
import type { Host } from '../host/host.js';
import { createCleaner } from '../journal/cleaner.js';
import { createRecordings } from '../recordings/recordings.js';
import { invokedArn } from '../runtime/variables.js';
import { aliasOf, buildEvent } from '../send/build-event.js';
import { formsOf } from '../send/forms.js';
import { withSamples } from '../send/samples.js';
import type { SendRequest } from '../send/send.js';
import { tables } from '../services/dynamodb/table-state.js';
import { buckets } from '../services/s3/state.js';
import type { RunState } from './api.js';
import { readExplain, readReplay, readSave, readSend, readSourceAction, readSpeed, readToken } from './bodies.js';
import { findConsole } from './build.js';
import type { DoorAddress } from './door.js';
import { toRow } from './live.js';
import type { Routes } from './routes.js';
import { type ConsoleServer, startConsoleServer } from './server.js';

/**
 * Makes the console: its page and its HTTP API.
 *
 * @param variables the variables of the function, for `sallyport env`
 */
export function createConsole(host: Host, variables: () => Readonly<Record<string, string>> = () => ({})): Part {
  const faults = new FaultLog(host);
  let server: ConsoleServer | undefined;
  return {
    name: 'console',
    async start() {
      server = await startConsoleServer({
        routes: createRoutes(host, variables),
        journal: host.journal,
        assets: await findConsole(),
        port: host.ports.console,
        token: host.token,
        door: (kind) => doorOf(host, kind),
        onFault: (error) => faults.report(POLICIES.console.name, error),
      });
      host.ports.console = server.port;
    },
    stop: async () => server?.close(),
  };
}

function createRoutes(host: Host, variables: () => Readonly<Record<string, string>>): Routes {
  const { journal, sources, config, sender, state, identity } = host;
  const clean = createCleaner(config.reveal);
  const recordings = createRecordings(host, join(config.stateFolder, 'recordings'));
  return {
    'GET /api/state': () => toRunState(host),
    'GET /api/inventory': () => {
      const { isOurs, streaming, routes, triggers, mcp } = host.inspection();
      return { isOurs, streaming, routes, triggers, mcp };
    },
    'GET /api/invocations': () => journal.list().map(toRow),
    'GET /api/search': ({ query }) => {
      const words = (query.get('words') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
      const hasAll = (text: string) => words.every((word) => text.includes(word));
      return journal.list().flatMap((record) => (hasAll(JSON.stringify(record).toLowerCase()) ? [record.id] : []));
    },
    'GET /api/invocations/{id}': ({ params }) => {
      const record = journal.get(Number(params.id));
      if (!record) throw new FrameworkError('local.not_found', `framework: invocation ${params.id} is no longer kept`);
      return record;
    },
    'GET /api/openapi': () => host.inspection().openapi(),
    'GET /api/forms': async () => withSamples(formsOf(host.inspection(), sources.list()), host),
    'POST /api/send': ({ body }) => sender.send(asSendable(readSend(body))),
    'POST /api/preview': async ({ body }) => {
      const request = readSend(body);
      const event = buildEvent(request);
      return { event, explain: await host.inspection().explain(event, contextOf(request, config.name)) };
    },
    'POST /api/explain': ({ body }) => {
      const { event, context } = readExplain(body);
      return host.inspection().explain(event, context as LambdaContext | undefined);
    },
    'POST /api/replay': ({ body }) => recordings.replay(readReplay(body)),
    'GET /api/sources': () => sources.list(),
    'POST /api/sources': ({ body }) => {
      const { kind, name, action, recordId } = readSourceAction(body);
      sources.act(kind, name, action, recordId);
      return sources.list();
    },
    'POST /api/speed': ({ body }) => {
      sources.setSpeed(readSpeed(body).speed);
      return { speed: sources.speed() };
    },
    'GET /api/tables': () => state.get(tables).list(),
    'GET /api/tables/{name}': async ({ params, query }) => {
      const { items, next } = await state.get(tables).items(params.name ?? '', query.get('start') ?? undefined);
      // Each item alone: the limits of the sanitizer are for one value.
      return { items: items.map(clean), next };
    },
    'GET /api/buckets': () => state.get(buckets).list(),
    'POST /api/token': async ({ body }) => ({ token: await identity.token(readToken(body)) }),
    'GET /api/recordings': () => recordings.list(),
    'GET /api/recordings/{file}': ({ params }) => recordings.read(params.file ?? ''),
    'POST /api/recordings': async ({ body }) => {
      const { id, as } = readSave(body);
      return { file: await recordings.save(id, as) };
    },
    'GET /api/env': () => variables(),
    'POST /api/reset': async () => {
      sources.emptyQueues();
      await state.reset();
      return { ok: true };
    },
  };
}

/** A request of a kind without its own sender is sent as its event. */
function asSendable(request: SendRequest): SendRequest {
  return request.kind === 'log-subscription' ? { kind: 'event', options: buildEvent(request) } : request;
}

/** The Lambda context of an invocation that has a caller or an alias. */
function contextOf(request: SendRequest, name: string): LambdaContext | undefined {
  const { caller } = request;
  const alias = aliasOf(request);
  if (!caller && alias === undefined) return undefined;
  const custom = caller?.kind === 'agent' ? { bedrockAgentCoreToolName: caller.tool } : {};
  return {
    ...(caller && { clientContext: { custom } }),
    ...(alias !== undefined && { invokedFunctionArn: invokedArn(name, {}, alias) }),
  };
}

function toRunState(host: Host): RunState {
  const { config, invoker, sources, journal, state } = host;
  return {
    name: config.name,
    folder: config.folder,
    code: invoker.code(),
    environments: invoker.environments(),
    addresses: addressesOf(host),
    speed: sources.speed(),
    reveal: config.reveal,
    state: state.get(tables).status(),
    notes: journal.notes(),
  };
}

/** The addresses of the doors that are open. */
function addressesOf({ ports }: Host): Readonly<Record<string, string>> {
  const open = Object.entries(ports).filter(([kind, port]) => kind !== 'console' && port !== 0);
  return Object.fromEntries(
    open.map(([kind, port]) => [
      kind,
      `${kind === 'websocket' ? 'ws' : 'http'}://127.0.0.1:${port}${kind === 'graphql' ? '/graphql' : ''}`,
    ]),
  );
}

function doorOf(host: Host, kind: string): Omit<DoorAddress, 'path'> | undefined {
  const door = HTTP_DOORS.find((one) => one === kind);
  if (door === undefined || !host.ports[door]) return undefined;
  return {
    port: host.ports[door],
    headersFor: (outgoing) => headersFor(host, door, outgoing) as OutgoingHttpHeaders,
  };
}

import { join } from 'node:path';
import type { LambdaContext } from '@sallyport/core';
import type { Config } from '../config/config.js';
import { headersFor } from '../doors/iam-authorizer.js';
import { HTTP_DOORS } from '../doors/send-through-door.js';
import { localError } from '../errors.js';
import { FaultLog } from '../guard/listener.js';
import { POLICIES } from '../guard/policies.js';
import type { Part } from '../host/base.js';
import type { Host } from '../host/host.js';
import { createCleaner } from '../journal/cleaner.js';
import { hiddenPlaces, revealed } from '../journal/hidden.js';
import type { Journal } from '../journal/journal.js';
import { createRecordings } from '../recordings/recordings.js';
import type { TestedFunctions } from '../recordings/save-test.js';
import { invokedArn } from '../runtime/variables.js';
import { restoreHidden } from '../send/restore.js';
import { withSamples } from '../send/samples.js';
import type { SendRequest } from '../send/send.js';
import { tables } from '../services/dynamodb/table-state.js';
import type { RunState } from './api.js';
import {
  readExecution,
  readExplain,
  readOpen,
  readReplay,
  readReveal,
  readSave,
  readSend,
  readSourceAction,
  readSpeed,
  readToken,
} from './bodies.js';
import { findConsole } from './build.js';
import { type Editor, findEditor } from './editor.js';
import { actOnExecution, listExecutions, showExecution } from './executions.js';
import { itemRoutes } from './item-routes.js';
import type { DoorAnswer, HostAnswer, HostCall, HostQuestions } from './messages.js';
import { findRoute, type Routes } from './routes.js';
import { answerCall } from './server.js';
import type { TerminalOptions } from './terminal.js';
import { type ConsoleThread, startThread } from './thread.js';

/**
 * Makes the console: its page and its HTTP API.
 *
 * @param variables the variables of the function, for `sallyport env`
 */
export function createConsole(host: Host, variables: () => Readonly<Record<string, string>> = () => ({})): ConsolePart {
  const faults = new FaultLog(host);
  const { config, ports, token, journal } = host;
  const routes = createRoutes(host, variables);
  let thread: ConsoleThread | undefined;
  return {
    name: CONSOLE,
    async start() {
      thread = await startThread({
        settings: {
          folder: config.folder,
          history: historyFolder(config),
          assets: await findConsole(),
          reveal: config.reveal,
          tested: testedOf(config),
          port: ports.console,
          token,
        },
        journal,
        answers: {
          call: (call) => answerOf(routes, call),
          door: async (request) => doorOf(host, request),
        },
        onNotice: (text) => host.notice(text),
        onFault: (error) => faults.report(POLICIES.console.name, error),
      });
      ports.console = thread.port;
    },
    print: (options, out) => thread?.print(options, out),
    stop: async () => thread?.stop(),
  };
}

/** The name of the part. */
const CONSOLE = 'console';

/** The console, which also makes the lines of the terminal. */
export interface ConsolePart extends Part {
  /** Prints the invocations, builds and messages from now on. */
  print(options: TerminalOptions, out: (text: string) => void): void;
}

/** The folder of the invocations of a project. */
export function historyFolder({ stateFolder }: Pick<Config, 'stateFolder'>): string {
  return join(stateFolder, 'invocations');
}

/** The functions that tests call. */
function testedOf({ folder, entry, handler, name, fleet }: Config): TestedFunctions {
  const others = (fleet?.functions ?? []).map((one) => ({
    name: one.name,
    entry: one.entry,
    handler: one.deployed.handler ?? 'handler',
  }));
  return { folder, entry, handler, name, others };
}

async function answerOf(routes: Routes, { method, path, query, body }: HostCall): Promise<HostAnswer> {
  const found = findRoute(routes, method, path);
  if (found) return answerCall(found, new URLSearchParams(query), body);
  return { status: 404, code: 'local.not_found', message: 'framework: the console has no such route' };
}

function createRoutes(host: Host, variables: () => Readonly<Record<string, string>>): Routes {
  const { sources, config, sender, state, identity, journal } = host;
  const clean = createCleaner(config.reveal);
  const editor = editorOf(host);
  const recordings = createRecordings(host, join(config.stateFolder, 'recordings'));
  return {
    'GET /api/state': () => toRunState(host),
    'GET /api/inventory': () => {
      const { isOurs, streaming, routes, triggers, mcp } = host.inspection();
      return { isOurs, streaming, routes, triggers, mcp };
    },
    'GET /api/openapi': () => host.inspection().openapi(),
    'GET /api/contract': async () => {
      const { toContractView } = await import('../contract/contract-view.js');
      return toContractView(config.name, await host.inspection().contract(), addressesOf(host));
    },
    'GET /api/forms': async () =>
      withSamples((await import('../send/forms.js')).formsOf(host.inspection(), sources.list()), {
        ...host,
        tables: state.get(tables).schemas(),
      }),
    'POST /api/send': async ({ body }) => sender.send(await asSendable(host, readSend(body))),
    'POST /api/preview': async ({ body }) => {
      const request = readSend(body);
      const { aliasOf, buildEvent } = await builders();
      const event = buildEvent(request);
      const context = contextOf(request, config.name, aliasOf(request));
      return { event, explain: await host.inspection().explain(event, context) };
    },
    'POST /api/explain': ({ body }) => {
      const { event, context } = readExplain(body);
      return host.inspection().explain(event, context as LambdaContext | undefined);
    },
    'POST /api/replay': ({ body }) => recordings.replay(readReplay(body)),
    'GET /api/sources': () => sources.list(),
    'POST /api/sources': ({ body }) => {
      const { kind, name, action, recordId, function: fn } = readSourceAction(body);
      sources.act(kind, name, action, recordId, fn);
      return sources.list();
    },
    'POST /api/speed': ({ body }) => {
      sources.setSpeed(readSpeed(body).speed);
      return { speed: sources.speed() };
    },
    'GET /api/executions': () => listExecutions(host.executions),
    'GET /api/executions/{arn}': ({ params }) => showExecution(host.executions, params.arn ?? '', clean),
    'POST /api/executions': ({ body }) => actOnExecution(host.executions, readExecution(body)),
    ...itemRoutes(host, clean),
    'GET /api/invocations/{id}/hidden': ({ params }) => {
      const { raw, shown } = inMemory(journal, params.id);
      return hiddenPlaces(raw, shown);
    },
    'POST /api/reveal': ({ body }) => {
      const { id, path } = readReveal(body);
      const { raw, shown } = inMemory(journal, id);
      const value = revealed(raw, shown, path);
      if (value === undefined)
        throw localError('local.not_found', `framework: invocation ${id} hides nothing at ${path.join('.')}`);
      return { value };
    },
    'POST /api/token': async ({ body }) => ({ token: await identity.token(readToken(body)) }),
    'GET /api/recordings': () => recordings.list(),
    'GET /api/recordings/{file}': ({ params }) => recordings.read(params.file ?? ''),
    'POST /api/recordings': async ({ body }) => {
      const { id, as } = readSave(body);
      return { file: await recordings.save(id, as) };
    },
    'POST /api/open': async ({ body }) => {
      const request = readOpen(body);
      if (!editor)
        throw localError('local.invalid_request', 'framework: no editor is known: name it with --editor code');
      await editor.open(request);
      return { editor: editor.name };
    },
    'GET /api/env': () => variables(),
    'POST /api/reset': async () => {
      sources.emptyQueues();
      await state.reset();
      return { ok: true };
    },
  };
}

/** @throws FrameworkError `local.not_found` for a record that is no longer in memory, where its values are unsanitized */
function inMemory(journal: Journal, id: string | number = '') {
  const [raw, shown] = [journal.raw(Number(id)), journal.get(Number(id))];
  if (raw && shown) return { raw, shown };
  throw localError('local.not_found', `framework: invocation ${id} is no longer in memory`);
}

/** A request of a kind without its own sender is sent as its event. */
async function asSendable({ journal }: Host, { from, ...request }: SendRequest): Promise<SendRequest> {
  if (from !== undefined && request.kind === 'event') {
    const options = restoreHidden(request.options, journal.get(from)?.event, journal.rawEvent(from));
    return { ...request, options };
  }
  if (request.kind !== 'log-subscription') return request;
  return { kind: 'event', options: (await builders()).buildEvent(request) };
}

/** Loaded with the first use: the catalogue of triggers takes 4 MB. */
function builders() {
  return import('../send/build-event.js');
}

/** The Lambda context of an invocation that has a caller or an alias. */
function contextOf({ caller }: SendRequest, name: string, alias: string | undefined): LambdaContext | undefined {
  if (!caller && alias === undefined) return undefined;
  const custom = caller?.kind === 'agent' ? { bedrockAgentCoreToolName: caller.tool } : {};
  return {
    ...(caller && { clientContext: { custom } }),
    ...(alias !== undefined && { invokedFunctionArn: invokedArn(name, {}, alias) }),
  };
}

/** The editor of `--editor`, else of the developer's shell. */
function editorOf({ config }: Host): Editor | undefined {
  const { VISUAL, EDITOR } = process.env;
  return findEditor(config.editor ?? VISUAL ?? EDITOR, config.folder);
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
    editor: editorOf(host)?.name ?? null,
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

function doorOf(host: Host, { kind, ...sent }: HostQuestions['door']['input']): DoorAnswer {
  const door = HTTP_DOORS.find((one) => one === kind);
  if (door === undefined || !host.ports[door]) return undefined;
  const port = host.ports[door];
  return { port, headers: headersFor(host, door, { ...sent, port }) };
}

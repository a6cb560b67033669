import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { objectPart, sha256, stringOf } from '@sallyport/core/internal';
import { defineOptions, func, text } from '@sallyport/core/options';
import { controllerIncomplete, MicrovmError } from '../errors.js';

/** A hook that the service calls. */
export type MicrovmHook = 'ready' | 'validate' | 'run' | 'resume' | 'suspend' | 'terminate';

/** Input of a handler; frozen. */
export interface MicrovmHookContext {
  /** Name of the hook. */
  readonly hook: MicrovmHook;
  /** The machine; `''` while its image is built. */
  readonly microvm_id: string;
  /** Id of the request that started the session, in `run` and every later hook; `''` before. */
  readonly request_id: string;
  /** The tenant. */
  readonly tenant_id: string;
  /** The caller's namespace. */
  readonly namespace: string;
  /** The session. */
  readonly session_id: string;
}

/** Runs while the service waits: a machine receives no request before its `run` hook has finished. */
export type MicrovmHookHandler = (context: MicrovmHookContext) => unknown;

/** Options of {@link createMicrovmHooks}; a hook without a handler succeeds. */
export interface MicrovmHooksOptions {
  /** The program has started; the image is taken afterwards. */
  readonly onReady?: MicrovmHookHandler;
  /** The image is checked. */
  readonly onValidate?: MicrovmHookHandler;
  /** A machine was started from the image; its session is known from now on. */
  readonly onRun?: MicrovmHookHandler;
  /** The machine continues after it was suspended. */
  readonly onResume?: MicrovmHookHandler;
  /** The machine is about to be suspended. */
  readonly onSuspend?: MicrovmHookHandler;
  /** The machine is about to be terminated. */
  readonly onTerminate?: MicrovmHookHandler;
}

const handler = func<MicrovmHookHandler>();

/** Validators and defaults for {@link MicrovmHooksOptions}. */
export const HOOKS_OPTIONS = defineOptions<MicrovmHooksOptions>()(
  {
    onReady: handler,
    onValidate: handler,
    onRun: handler,
    onResume: handler,
    onSuspend: handler,
    onTerminate: handler,
  },
  { fail: controllerIncomplete },
);

/** The hooks of a program. */
export interface MicrovmHooks {
  /** Answers one request of the service, for programs that run a server on the hook port. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /**
   * Starts a server for the hooks. It has no authentication: every process that reaches the port can call every hook.
   *
   * @param port the port of the image's hooks, 9000 by default
   */
  listen(port: number, options?: MicrovmHooksListenOptions): Promise<Server>;
}

/** Options of {@link MicrovmHooks.listen}. */
export interface MicrovmHooksListenOptions {
  /** The address to listen on. Default: all addresses of the machine. */
  readonly host?: string;
}

/** Validators for {@link MicrovmHooksListenOptions}. */
const LISTEN_OPTIONS = defineOptions<MicrovmHooksListenOptions>()(
  { host: text('an address, such as "127.0.0.1"') },
  { fail: controllerIncomplete },
);

const PATH = /^\/aws\/lambda-microvms\/runtime\/v1\/(ready|validate|run|resume|suspend|terminate)$/;
/** The payload has at most 16,384 bytes; JSON may write each as six. */
const MAX_BODY_BYTES = 128 * 1024;
const IDS = ['request_id', 'tenant_id', 'namespace', 'session_id'] as const;

/**
 * Answers the lifecycle hooks of a machine: it accepts only `POST /aws/lambda-microvms/runtime/v1/<hook>`. A repeated `run` with
 * the same payload is answered immediately; another payload is rejected.
 *
 * @throws MicrovmError `microvm.controller_incomplete` for a wrong option
 * @example
 * await createMicrovmHooks({ onRun: ({ session_id }) => openWorkspace(session_id) }).listen(9000);
 */
export function createMicrovmHooks(options: MicrovmHooksOptions = {}): MicrovmHooks {
  const { onReady, onValidate, onRun, onResume, onSuspend, onTerminate } = HOOKS_OPTIONS.parse(options);
  const hooks = new Hooks({
    ready: onReady,
    validate: onValidate,
    run: onRun,
    resume: onResume,
    suspend: onSuspend,
    terminate: onTerminate,
  });
  return {
    handle: (request, response) => hooks.handle(request, response),
    async listen(port, listenOptions = {}) {
      const { host } = LISTEN_OPTIONS.parse(listenOptions);
      const { createServer } = await import('node:http');
      const server = createServer((request, response) => void hooks.handle(request, response));
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ port, host }, resolve));
      return server;
    },
  };
}

interface Answer {
  readonly status: number;
  readonly code?: string;
}

class Hooks {
  readonly #handlers: Readonly<Record<MicrovmHook, MicrovmHookHandler | undefined>>;
  #run: { readonly digest: string; readonly ended: Promise<Answer> } | undefined;
  #known: Omit<MicrovmHookContext, 'hook'> = { microvm_id: '', ...idsOf(undefined) };

  constructor(handlers: Readonly<Record<MicrovmHook, MicrovmHookHandler | undefined>>) {
    this.#handlers = handlers;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, code } = await this.#answer(request).catch((): Answer => ({ status: 400 }));
    const body = JSON.stringify(code === undefined ? {} : { error: { code } });
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const hook = PATH.exec(request.url ?? '')?.[1] as MicrovmHook | undefined;
    if (hook === undefined) return { status: 404 };
    if (request.method !== 'POST') return { status: 405 };
    const body = await bodyOf(request);
    if (body === undefined) return { status: 413 };
    return hook === 'run' ? this.#runOnce(body) : this.#call(hook);
  }

  /** The service may repeat a call without a response. */
  async #runOnce(body: string): Promise<Answer> {
    const digest = sha256(body);
    if (this.#run !== undefined && this.#run.digest !== digest) return { status: 409 };
    if (this.#run === undefined) {
      const { microvmId, runHookPayload } = objectPart(body);
      this.#known = { microvm_id: stringOf(microvmId), ...idsOf(runHookPayload) };
      this.#run = { digest, ended: this.#call('run') };
    }
    const answer = await this.#run.ended;
    // A failed run can be retried.
    if (answer.status !== 200) this.#run = undefined;
    return answer;
  }

  async #call(hook: MicrovmHook): Promise<Answer> {
    try {
      await this.#handlers[hook]?.(Object.freeze({ hook, ...this.#known }));
      return { status: 200 };
    } catch (cause) {
      return { status: 500, code: new MicrovmError('microvm.lifecycle_hook_failed', 'hook failed', { cause }).code };
    }
  }
}

function idsOf(payload: unknown): Pick<MicrovmHookContext, (typeof IDS)[number]> {
  const given = objectPart(payload);
  return Object.fromEntries(IDS.map((name) => [name, stringOf(given[name])])) as Record<(typeof IDS)[number], string>;
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

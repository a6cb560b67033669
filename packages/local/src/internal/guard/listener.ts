import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RunBase } from '../host/base.js';
import { checkRequest, type GuardedRequest, type Refusal, type Target } from './check.js';
import { type ListenerPolicy, POLICIES } from './policies.js';

/** The settings of a guarded listener. */
export interface GuardOptions<Res> {
  readonly policy: ListenerPolicy;
  /** Names of `--allow-host`. */
  readonly allowHosts: readonly string[];
  /** Receives errors of the listener. The client receives 500 without the message. */
  onFault(error: unknown): void;
  /** Sets the headers of every response, rejections included. */
  prepare?(response: Res): void;
  /** Sends a rejection in the form of the listener; default JSON with `message`. */
  refuse?(response: Res, refusal: Refusal | { readonly status: 500; readonly message: string }): void;
}

type Incoming = GuardedRequest & { readonly socket: unknown };

const SILENT_MS = 10_000;
const FAILED = { status: 500, message: 'internal error' } as const;

/**
 * The listener for `request` of every server: checks the sender of a request, and responds with 500 if `serve` throws or rejects.
 *
 * @param serve receives the target instead of `request.url`
 */
export function guardRequests<Req extends Incoming, Res extends ServerResponse>(
  options: GuardOptions<Res>,
  serve: (request: Req, response: Res, target: Target) => void | Promise<void>,
): (request: Req, response: Res) => void {
  const refuse = options.refuse ?? sendMessage;
  const run = async (request: Req, response: Res) => {
    options.prepare?.(response);
    const checked = check(options, request);
    if ('status' in checked) refuse(response, checked);
    else await serve(request, response, checked);
  };
  return (request, response) => {
    run(request, response).catch((error: unknown) => {
      options.onFault(error);
      if (response.headersSent || response.destroyed) response.destroy();
      else refuse(response, FAILED);
    });
  };
}

/** The listener for `upgrade`, with the same check. An error of the socket closes only the socket. */
export function guardUpgrades(
  options: GuardOptions<ServerResponse>,
  serve: (request: IncomingMessage, socket: Duplex, head: Buffer, target: Target) => void | Promise<void>,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const run = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const checked = check(options, request);
    if ('status' in checked) refuseUpgrade(socket, checked.status);
    else await serve(request, socket, head, checked);
  };
  return (request, socket, head) => {
    // The server no longer listens to this socket: without a listener, an error of it would terminate the process.
    socket.on('error', () => socket.destroy());
    run(request, socket, head).catch((error: unknown) => {
      options.onFault(error);
      refuseUpgrade(socket, 500);
    });
  };
}

/** Answers a request for an upgrade with a status, and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function check<Res>({ policy, allowHosts }: GuardOptions<Res>, request: Incoming): Target | Refusal {
  const { localPort = 0 } = request.socket as Pick<Socket, 'localPort'>;
  return checkRequest(request, policy, { port: localPort, allowHosts });
}

function sendMessage(
  response: ServerResponse,
  { status, message }: { readonly status: number; readonly message: string },
) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}

/** The guard of one listener of a run. */
export function guardOf(
  host: Pick<RunBase, 'config' | 'clock' | 'notice'>,
  listener: keyof typeof POLICIES,
): GuardOptions<ServerResponse> {
  const policy = POLICIES[listener];
  const faults = new FaultLog(host);
  return {
    policy,
    allowHosts: host.config.allowHosts,
    onFault: (error) => faults.report(policy.name, error),
  };
}

/** Reports errors of listeners to the terminal: each listener at most once in ten seconds, with the number of suppressed errors. */
export class FaultLog {
  readonly #host: Pick<RunBase, 'clock' | 'notice'>;
  readonly #reported = new Map<string, { readonly at: number; more: number }>();

  constructor(host: Pick<RunBase, 'clock' | 'notice'>) {
    this.#host = host;
  }

  /** @param name the listener: `the console` */
  report(name: string, error: unknown): void {
    const at = this.#host.clock.now().getTime();
    const before = this.#reported.get(name);
    if (before && at - before.at < SILENT_MS) {
      before.more += 1;
      return;
    }
    this.#reported.set(name, { at, more: 0 });
    const more = before && before.more > 0 ? ` (and ${before.more} times before)` : '';
    this.#host.notice(`${name} failed: ${error instanceof Error ? error.message : String(error)}${more}`);
  }
}

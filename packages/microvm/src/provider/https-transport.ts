import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Clock, FullClock } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { defineOptions, object, withMethods } from '@sallyport/core/options';
import { controllerIncomplete, MicrovmError } from '../errors.js';
import { readBody } from './internal/body.js';
import { withoutText } from './internal/errors.js';
import type { HeaderEntry, MicrovmTransport, TransportRequest, TransportResponse } from './transport.js';

/** Options of {@link createHttpsTransport}. */
export interface HttpsTransportOptions {
  /** Opens the connections. Default: an agent that keeps them alive. */
  readonly agent?: Agent;
  /** Measures timeouts. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link HttpsTransportOptions}. */
export const HTTPS_TRANSPORT_OPTIONS = defineOptions<HttpsTransportOptions>()(
  { agent: object<Agent>(), clock: withMethods<Clock>('now') },
  { fail: controllerIncomplete },
);

/** Maximum size of all response headers in bytes. Lambda allows less metadata in a streamed response. */
const MAX_HEADER_BYTES = 32 * 1024;
const HTTPS_PORT = 443;

type Https = typeof import('node:https');

/**
 * Creates a transport over `node:https` with kept-alive connections. It checks certificates, follows no redirects, and does not
 * decompress.
 *
 * @throws MicrovmError `microvm.controller_incomplete` for a wrong option
 * @example createAwsMicrovmProvider({ transport: createHttpsTransport({ agent }) });
 */
export function createHttpsTransport(options: HttpsTransportOptions = {}): MicrovmTransport {
  const given = HTTPS_TRANSPORT_OPTIONS.parse(options);
  const clock = completeClock(given.clock);
  let opening: Promise<{ readonly https: Https; readonly agent: Agent }> | undefined;
  const open = async () => {
    const https = await import('node:https');
    return { https, agent: given.agent ?? new https.Agent({ keepAlive: true }) };
  };
  return {
    async send(request, signal) {
      opening ??= open();
      const { https, agent } = await opening;
      const once = () => new Exchange(https, agent, clock, request, signal).answer;
      try {
        return await once();
      } catch (error) {
        // The other side may have closed a kept-alive connection in the meantime.
        if (error instanceof BrokenConnection && error.mayRepeat && isSafe(request.method))
          return once().catch(toError);
        return toError(error);
      }
    },
  };
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The connection failed before a response. */
class BrokenConnection extends Error {
  readonly mayRepeat: boolean;

  constructor(cause: unknown, mayRepeat: boolean) {
    super('no answer', { cause });
    this.mayRepeat = mayRepeat;
  }
}

function toError(error: unknown): never {
  if (!(error instanceof BrokenConnection)) throw error;
  const cause = withoutText(error.cause);
  // https://nodejs.org/api/errors.html#hpe_header_overflow
  if ((error.cause as { code?: unknown }).code === 'HPE_HEADER_OVERFLOW') {
    throw new MicrovmError('microvm.response_too_large', 'headers of the workload are too large', { cause });
  }
  throw new MicrovmError('microvm.workload_unreachable', 'workload unreachable', { cause });
}

/** One attempt: its timers and listeners are removed at the first byte of the response. */
class Exchange {
  readonly answer: Promise<TransportResponse>;
  readonly #timers: (() => void)[] = [];

  constructor(https: Https, agent: Agent, clock: FullClock, request: TransportRequest, signal: AbortSignal) {
    this.answer = new Promise<TransportResponse>((resolve, reject) => {
      const { host, method, path, body, times } = request;
      const outgoing = https.request({
        host,
        servername: host,
        port: HTTPS_PORT,
        method,
        path,
        headers: headersOf(request),
        agent,
        maxHeaderSize: MAX_HEADER_BYTES,
        rejectUnauthorized: true,
      });
      const fail = (error: unknown) => {
        this.#stop();
        reject(error);
        outgoing.destroy();
      };
      const onAbort = () => fail(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#timers.push(() => signal.removeEventListener('abort', onAbort));
      if (signal.aborted) onAbort();
      this.#watchConnection(outgoing, clock, times.connectMs, fail);
      this.#timers.push(clock.after(times.firstByteMs, () => fail(workloadTimeout())));
      outgoing.on('error', (cause) => fail(new BrokenConnection(cause, outgoing.reusedSocket && !isAnswered(cause))));
      outgoing.on('upgrade', () => fail(new MicrovmError('microvm.upgrade_unsupported', 'upgrades are not supported')));
      outgoing.on('response', (incoming: IncomingMessage) => {
        this.#stop();
        resolve(toResponse(incoming, clock, times.idleMs, signal));
      });
      outgoing.end(body);
    });
  }

  #watchConnection(outgoing: ClientRequest, clock: FullClock, ms: number, fail: (error: unknown) => void): void {
    const stop = clock.after(ms, () => fail(new BrokenConnection(new Error('the connection timed out'), false)));
    this.#timers.push(stop);
    outgoing.on('socket', (socket) => {
      if (outgoing.reusedSocket) stop();
      else (socket as TLSSocket).once('secureConnect', stop);
    });
  }

  #stop(): void {
    for (const stop of this.#timers.splice(0)) stop();
  }
}

/** True if the response was received but is not valid HTTP. */
function isAnswered(cause: Error & { readonly code?: string }): boolean {
  return cause.code?.startsWith('HPE_') === true;
}

/** The program did not respond in time. */
function workloadTimeout(): MicrovmError {
  return new MicrovmError('microvm.workload_timeout', 'workload timeout');
}

function headersOf(request: TransportRequest): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  const length: HeaderEntry[] =
    request.body.byteLength > 0 || !isSafe(request.method) ? [['content-length', String(request.body.byteLength)]] : [];
  for (const [name, value] of [...request.headers, ...length, ...request.authorize()]) {
    const present = headers[name];
    headers[name] = present === undefined ? value : [present, value].flat();
  }
  return headers;
}

function toResponse(
  incoming: IncomingMessage,
  clock: FullClock,
  idleMs: number,
  signal: AbortSignal,
): TransportResponse {
  const { statusCode = 0, rawHeaders } = incoming;
  const headers: HeaderEntry[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return { status: statusCode, headers, body: readBody(incoming, { clock, idleMs, signal, timeout: workloadTimeout }) };
}

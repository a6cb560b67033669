import { isUtf8 } from 'node:buffer';
import { type Context, onwardTraceHeaders, type ResponseInput } from '@sallyport/core';
import { LAMBDA_MAX_ANSWER_BYTES } from '@sallyport/core/internal';
import type { MicrovmCaller } from '../../controller/caller.js';
import type { MicrovmController } from '../../controller/controller.js';
import type { InvokeInput, MicrovmInvokeAnswer } from '../../controller/types.js';
import { invalidRequest, MicrovmError } from '../../errors.js';
import type { HeaderEntry } from '../../provider/transport.js';

const PORT_HEADER = 'x-framework-microvm-port';
/** Response limit of a load balancer, including headers and envelope. */
const LOAD_BALANCER_BYTES = 1_000_000;
/** Bytes reserved for status, headers and their JSON names. */
const ENVELOPE_BYTES = 64 * 1024;

/** Answers a request to the program in a machine. Streams if the front door supports it, else reads the whole response first. */
export async function invokeRoute(
  controller: MicrovmController,
  caller: MicrovmCaller,
  ctx: Context,
): Promise<ResponseInput> {
  const { streams, maxBytes } = limitsOf(ctx);
  const input = readInvoke(ctx);
  const answer = await controller.invoke(caller, streams ? input : { ...input, maxResponseBytes: maxBytes });
  const { status, headers, cookies, bodyStream } = answer;
  const common = { status, headers, cookies };
  return streams ? { ...common, bodyStream } : { ...common, body: await collect(answer, maxBytes) };
}

/** Front doors of `serve` stream the response; buffered front doors limit its size. */
function limitsOf(ctx: Context): { readonly streams: boolean; readonly maxBytes: number } {
  const cap = ctx.triggerKind === 'load-balancer' ? LOAD_BALANCER_BYTES : LAMBDA_MAX_ANSWER_BYTES;
  return { streams: ctx.canStream || ctx.triggerKind === 'direct', maxBytes: cap - ENVELOPE_BYTES };
}

function readInvoke(ctx: Context): InvokeInput {
  const { request } = ctx;
  const { path, rawPath } = request;
  const prefix = prefixOf(path);
  const rest = path.slice(prefix.length);
  const query = queryOf(ctx);
  // The prefix of the route in the client's path: a stage, a base path.
  const [rawOnly = ''] = rawPath.split('?', 1);
  const outer = rawOnly.endsWith(path) ? rawOnly.slice(0, rawOnly.length - path.length) : '';
  const port = portOf(ctx);
  return {
    sessionId: ctx.param('session_id'),
    method: request.method,
    path: (rest === '' ? '/' : rest) + (query === '' ? '' : `?${query}`),
    headers: Object.entries(request.headers).flatMap(([name, values]) =>
      values.map((value): HeaderEntry => [name, value]),
    ),
    body: request.body,
    ...(port !== undefined && { port }),
    publicPath: outer + prefix,
    dropCors: ctx.middlewareTrace.includes('cors'),
    trace: Object.entries(onwardTraceHeaders((name) => ctx.header(name) ?? '')).filter(
      ([name]) => !name.startsWith('x-amzn-'),
    ),
  };
}

/** The part `/microvms/s1/invoke` of a path, not decoded. */
function prefixOf(path: string): string {
  const parts = path.split('/');
  return parts.slice(0, parts.indexOf('invoke', 3) + 1).join('/');
}

/** The raw query; rebuilt if the front door provides only decoded parameters. */
function queryOf(ctx: Context): string {
  const { rawQueryString } = (ctx.event ?? {}) as { readonly rawQueryString?: unknown };
  if (typeof rawQueryString === 'string') return rawQueryString;
  const { rawPath } = ctx.request;
  const question = ctx.triggerKind === 'direct' ? rawPath.indexOf('?') : -1;
  if (question >= 0) return rawPath.slice(question + 1);
  return Object.entries(ctx.request.query)
    .flatMap(([name, values]) => values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`))
    .join('&');
}

function portOf(ctx: Context): number | undefined {
  const [text, ...others] = ctx.headerAll(PORT_HEADER);
  if (text === undefined) return undefined;
  if (others.length > 0 || !/^[1-9]\d{0,4}$/.test(text)) throw invalidRequest(`${PORT_HEADER} must be a port`);
  return Number(text);
}

/** The whole response, for a buffered front door: as text, else as base64. */
async function collect({ bodyStream }: MicrovmInvokeAnswer, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyStream) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const isTooLarge = !isUtf8(body) && Math.ceil(body.byteLength / 3) * 4 > maxBytes;
  if (isTooLarge) throw new MicrovmError('microvm.response_too_large', 'response of the workload is too large');
  return body;
}

import {
  closeStream,
  fromJson,
  guardHook,
  isJsonMediaType,
  isObject,
  LAMBDA_MAX_ANSWER_BYTES,
  type OutgoingResponse,
} from '@sallyport/core/internal';
import type { JsonObject } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import { toolError } from '../../run/internal/answer.js';
import { readBytes, readText, tooLong } from './response-body.js';
import { fileUri, type RouteRequest } from './route-request.js';
import type { CompiledRoute } from './route-schema.js';
import { readEvents, readLines } from './text-stream.js';

/** Converts the response of a route to the result of its tool. */
export async function toToolResult(
  route: CompiledRoute,
  request: RouteRequest,
  response: OutgoingResponse,
  ctx: McpContext,
): Promise<JsonObject> {
  const { status, headers, bodyStream } = response;
  const type = headers['content-type']?.[0] ?? '';
  if (status >= 400) return toolError((await readText(response)) || `The route answered with status ${status}.`);
  const location = headers.location?.[0];
  if (status >= 300) {
    if (bodyStream) await closeStream(bodyStream);
    return redirected(status, location);
  }
  if (isJsonMediaType(type)) return toStructured(route, await readText(response), ctx);
  const isAttached = /^\s*attachment/i.test(headers['content-disposition']?.[0] ?? '');
  const isText = !isAttached && /^\s*(?:text\/|application\/(?:x-ndjson|jsonl|xml|yaml)\b)/i.test(type);
  if (isText) return textResult(bodyStream ? await readProgress(response, type, ctx) : await readText(response));
  if (!bodyStream && response.content.length === 0) return textResult(`Done (status ${status}).`);
  return toFile(route, request, response, type);
}

function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

/** A redirect is a link for the client: its target can be another site. */
function redirected(status: number, location: string | undefined): JsonObject {
  if (location === undefined) return textResult(`Done (status ${status}).`);
  if (!/^https:\/\//i.test(location)) return textResult(`Redirected to ${location}`);
  const name = URL.canParse(location) ? lastSegment(new URL(location).pathname) : '';
  return { content: [{ type: 'resource_link', uri: location, name: name || 'file' }] };
}

/** Structured content is an object. Another value is the member `result`, if the output schema has it; else it is only text. */
function toStructured({ isWrapped, output, record }: CompiledRoute, text: string, ctx: McpContext): JsonObject {
  const value = fromJson(text);
  const content = [{ type: 'text', text }];
  if (isWrapped) return { content, structuredContent: { result: value } };
  if (isObject(value)) return { content, structuredContent: value };
  if (output === undefined) return { content };
  guardHook(() => ctx.http.log.error('mcp.output_mismatch', { method: record.method, route: record.path }));
  return toolError('The route returned an invalid result');
}

/** A file that a client can read again is a link; the response to any other method is embedded. */
async function toFile(
  { record, registration }: CompiledRoute,
  request: RouteRequest,
  response: OutgoingResponse,
  type: string,
): Promise<JsonObject> {
  const uri = fileUri(registration, request);
  const mimeType = type.split(';')[0]?.trim() || 'application/octet-stream';
  if (record.method !== 'GET') {
    const blob = (await readBytes(response)).toString('base64');
    return { content: [{ type: 'resource', resource: { uri, mimeType, blob } }] };
  }
  const { bodyStream, headers } = response;
  const size = bodyStream ? Number(headers['content-length']?.[0]) : response.body.byteLength;
  if (bodyStream) await closeStream(bodyStream);
  const name = fileName(headers['content-disposition']?.[0]) ?? lastSegment(uri);
  const link = { type: 'resource_link', uri, name, mimeType };
  return { content: [Number.isSafeInteger(size) ? { ...link, size } : link] };
}

/** The name in `content-disposition` (RFC 6266), without the extended form. */
function fileName(disposition: string | undefined): string | undefined {
  const [, quoted, plain] = /filename=(?:"([^"]+)"|([^\s;]+))/i.exec(disposition ?? '') ?? [];
  return quoted ?? plain;
}

function lastSegment(uri: string): string {
  const [path = ''] = uri.split('?');
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
}

/** Characters of a part that are sent with progress. */
const MAX_PROGRESS = 500;

/** Reads a stream of events or lines, and reports each of them as progress. The result contains all of them. */
async function readProgress(response: OutgoingResponse, type: string, ctx: McpContext): Promise<string> {
  const isEvents = /^\s*text\/event-stream\b/i.test(type);
  const parts: string[] = [];
  let length = 0;
  for await (const part of isEvents ? readEvents(response.bodyStream ?? []) : readLines(response.bodyStream ?? [])) {
    const text = typeof part === 'string' ? part : part.data;
    length += text.length;
    if (length > LAMBDA_MAX_ANSWER_BYTES) throw tooLong();
    parts.push(text);
    ctx.progress(parts.length, undefined, text.slice(0, MAX_PROGRESS).toWellFormed());
  }
  return parts.join('\n');
}

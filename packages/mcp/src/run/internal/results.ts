import { guardHook, type Logger } from '@sallyport/core';
import { logFailure } from '@sallyport/core/pipeline';
import { INTERNAL_ERROR, isObject } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { ContentBlock, JsonObject, PromptMessage, ResourceContents } from '../../protocol/types.js';
import { isInstance, McpToolError, RpcError } from '../../server/errors.js';
import type { Tool } from '../../server/internal/registered.js';

/** The request that a fixed error text names, and where the real one is logged. */
export interface Report {
  readonly requestId: string;
  readonly log: Logger;
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** A tool's failure, in words for the model. */
export function toolError(text: string): JsonObject {
  return { content: [textBlock(text)], isError: true };
}

/** The full result of what a tool's handler returned, its structured part checked. */
export async function toToolResult(tool: Tool, answer: unknown, report: Report): Promise<JsonObject> {
  const result = expandToolAnswer(answer);
  if (!tool.checkOutput || result.isError === true) return result;
  const { structuredContent } = result;
  const checked =
    structuredContent === undefined ? { issues: ['/: required'] } : await tool.checkOutput(structuredContent);
  if (!('issues' in checked)) return result;
  const { log, requestId } = report;
  guardHook(() => log.error('mcp.output_mismatch', { tool: tool.name, issues: checked.issues }));
  return toolError(`Tool returned an invalid result (request ${requestId})`);
}

function expandToolAnswer(answer: unknown): JsonObject {
  if (typeof answer === 'string') return { content: [textBlock(answer)] };
  if (isObject(answer)) {
    const { structured } = answer;
    if (isObject(structured))
      return { content: [textBlock(JSON.stringify(structured))], structuredContent: structured };
    if (Array.isArray(answer.content)) return answer;
    if (isObject(answer.structuredContent)) {
      return { ...answer, content: [textBlock(JSON.stringify(answer.structuredContent))] };
    }
  }
  throw new TypeError('framework: mcp: a tool must return text, { structured } or a full result');
}

/** The result of what a resource's handler returned; `undefined` when there is no such resource. */
export function toResourceResult(uri: string, mimeType: string | undefined, answer: unknown): JsonObject | undefined {
  if (answer === undefined || answer === null) return undefined;
  const about = mimeType === undefined ? { uri } : { uri, mimeType };
  if (typeof answer === 'string') return contents({ ...about, text: answer });
  if (answer instanceof Uint8Array) {
    const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
    return contents({ ...about, blob: bytes.toString('base64') });
  }
  if (isObject(answer) && Array.isArray(answer.contents)) return answer;
  throw new TypeError('framework: mcp: a resource must return text, bytes or a full result');
}

const contents = (content: ResourceContents): JsonObject => ({ contents: [content] });

export function toPromptResult(answer: unknown): JsonObject {
  if (typeof answer === 'string') return { messages: [{ role: 'user', content: textBlock(answer) } as PromptMessage] };
  if (Array.isArray(answer)) return { messages: answer };
  if (isObject(answer) && Array.isArray(answer.messages)) return answer;
  throw new TypeError('framework: mcp: a prompt must return text, messages or a full result');
}

/** What a tool's exception becomes: only {@link McpToolError} shows its text. */
export function toolFailure(error: unknown, { requestId, log }: Report): JsonObject {
  if (isInstance(error, McpToolError)) return toolError(error.message);
  logFailure(() => log, 'mcp.handler_failed', error);
  return toolError(`Tool failed (request ${requestId})`);
}

/** What any other handler's exception becomes. */
export function otherFailure(error: unknown, { log }: Report): RpcError {
  logFailure(() => log, 'mcp.handler_failed', error);
  return new RpcError(RPC.internalError, INTERNAL_ERROR);
}

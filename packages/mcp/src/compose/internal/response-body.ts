import { asBuffer, LAMBDA_MAX_ANSWER_BYTES, type OutgoingResponse } from '@sallyport/core/internal';
import { McpToolError } from '../../server/errors.js';

/**
 * The bytes of a body.
 *
 * @throws McpToolError for a body that is larger than an answer can be
 */
export async function readBytes({ content, bodyStream }: OutgoingResponse): Promise<Buffer> {
  const first = asBuffer(typeof content === 'string' ? Buffer.from(content) : content);
  if (!bodyStream) return first;
  const chunks: Uint8Array[] = [first];
  let bytes = first.byteLength;
  for await (const chunk of bodyStream) {
    bytes += chunk.byteLength;
    if (bytes > LAMBDA_MAX_ANSWER_BYTES) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The body as text. */
export async function readText(response: OutgoingResponse): Promise<string> {
  const { content, bodyStream } = response;
  return typeof content === 'string' && !bodyStream ? content : (await readBytes(response)).toString('utf8');
}

/** The error for a body that is larger than an answer can be. */
export function tooLong(): McpToolError {
  return new McpToolError('The response of the route is too long.');
}

import type { Readable, Writable } from 'node:stream';
import {
  type ContractRuntime,
  checkProtocol,
  type HelloMessage,
  LineReader,
  PROTOCOL,
  ProtocolError,
  type RunMessage,
  toLine,
} from './protocol.js';

/**
 * Answers a runner over a pair of streams until the message `bye`, one message after the other.
 *
 * @throws ProtocolError for a line that is not a message of the protocol, or an input that ends without `bye`
 */
export async function serveRuntime(runtime: ContractRuntime, input: Readable, output: Writable): Promise<void> {
  for await (const message of messagesOf(input)) {
    const answer = await answerTo(message as { type?: unknown }, runtime);
    if (answer === undefined) return runtime.bye();
    output.write(toLine(answer));
  }
  throw new ProtocolError('the input ended without bye');
}

async function answerTo(message: { type?: unknown }, runtime: ContractRuntime): Promise<object | undefined> {
  switch (message.type) {
    case 'hello':
      checkProtocol((message as HelloMessage).protocol);
      return { ...(await runtime.hello(message as HelloMessage)), protocol: PROTOCOL };
    case 'run':
      return runtime.run(message as RunMessage);
    case 'bye':
      return undefined;
    default:
      throw new ProtocolError(`unknown message ${JSON.stringify(message.type)}`);
  }
}

async function* messagesOf(input: Readable): AsyncGenerator<unknown> {
  const messages: unknown[] = [];
  const reader = new LineReader(
    (message) => messages.push(message),
    (error) => {
      throw error;
    },
  );
  for await (const bytes of input) {
    reader.push(Buffer.from(bytes as Uint8Array));
    yield* messages.splice(0);
  }
  reader.end();
}

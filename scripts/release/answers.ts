import { isDeepStrictEqual } from 'node:util';
import { startRuntime } from '../../tools/lambda-runtime/src/index.js';
import { nodeBinary } from '../node-versions.js';

interface Case {
  readonly name: string;
  readonly event: unknown;
  /** Members of the answer. */
  readonly answer: object;
  /** A string in the answer. */
  readonly holds?: string;
}

/** The expected answers of a template's bundle: the cases of its parts. */
async function casesOf(template: string): Promise<readonly Case[]> {
  const folder = '../../packages/create-sallyport/templates';
  const { NOTES } = await import(`${folder}/notes/test/notes.cases.js`);
  const { ORDERS } = await import(`${folder}/orders/test/orders.cases.js`);
  const { BOOKS } = await import(`${folder}/books/test/books.cases.js`);
  const { CHAT } = await import(`${folder}/chat/test/chat.cases.js`);
  const { TOOLS } = await import(`${folder}/tools/test/tools.cases.js`);
  const full = [...NOTES, ...ORDERS, ...BOOKS, ...CHAT, ...TOOLS];
  return { api: NOTES, events: ORDERS, graphql: BOOKS, websocket: CHAT, mcp: TOOLS, full }[template] ?? [];
}

/**
 * Loads the bundle of a project with AWS's client and passes it one event of each kind.
 *
 * @param version of Node
 * @throws Error for an unexpected answer
 */
export async function answer(bundle: string, template: string, version: string): Promise<void> {
  const runtime = await startRuntime({
    bundle,
    handler: 'handler',
    node: version === process.versions.node ? process.execPath : nodeBinary(version),
    nodeMajor: Number(version.split('.', 1)[0]),
  });
  try {
    for (const { name, event, answer: expected, holds = '' } of await casesOf(template)) {
      const { outcome, body, headers } = await runtime.invoke(event);
      const isStreamed = headers['content-type'] === 'application/vnd.awslambda.http-integration-response';
      const found = isStreamed ? readStreamed(body) : JSON.parse(body.toString('utf8'));
      if (outcome !== 'response' || !contains(found, expected) || !JSON.stringify(found).includes(holds)) {
        throw new Error(`Node ${version}, ${name}: ${outcome} ${body.toString('utf8')}\n${runtime.log}`);
      }
    }
  } finally {
    await runtime.stop();
  }
}

/** Reads the body of a function URL's streamed answer: its metadata, eight zero bytes, and the body. */
function readStreamed(answer: Buffer): object {
  const end = answer.indexOf(Buffer.alloc(8));
  const metadata = JSON.parse(answer.subarray(0, end).toString('utf8')) as object;
  return { ...metadata, body: answer.subarray(end + 8).toString('utf8') };
}

/** True if a value has every member of another value, at every depth. */
function contains(found: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected))
    return isDeepStrictEqual(found, expected);
  if (typeof found !== 'object' || found === null) return false;
  const members = found as Readonly<Record<string, unknown>>;
  return Object.entries(expected).every(([key, value]) => contains(members[key], value));
}

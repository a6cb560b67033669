import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

const SERVICE = `
const from = (stream) => awslambda.HttpResponseStream.from(stream, { statusCode: 404, headers: { 'content-type': 'text/x' } });
const ways = {
  write: (stream) => { const answer = from(stream); answer.write('one'); answer.end(); },
  endText: (stream) => from(stream).end('one'),
  endNothing: (stream) => from(stream).end(),
  plain: (stream) => { stream.write('one'); stream.end(); },
  plainNothing: (stream) => stream.end(),
  early: () => { throw new Error('before the first byte'); },
  earlyWithStatus: (stream) => { from(stream); throw new Error('before the first byte'); },
  late: (stream) => { stream.write('one'); throw new Error('after the first byte'); },
};
export const handler = awslambda.streamifyResponse(async (event, stream) => ways[event.rawPath.slice(1)](stream));`;

const PLAIN = 'application/octet-stream';
const FAILED = [502, 'text/plain', 'Internal Server Error'] as const;

// The answer of AWS when `end` is called without `write`: https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/issues/97
// An answer of which no byte was sent is like the answer of any function that fails.
describe('a streamed answer ends', () => {
  let project: Project;
  let host: RunningHost;
  beforeAll(async () => {
    project = createProject({ 'src/lambda.mjs': SERVICE });
    host = await start(project);
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  const read = async (way: string) => {
    const answer = await fetch(`http://127.0.0.1:${host.ports['function-url']}/${way}`);
    const text = await answer.text().catch(() => 'cut');
    return [answer.status, answer.headers.get('content-type'), text];
  };

  test.each<[way: string, status: number, contentType: string, text: string]>([
    ['write', 404, 'text/x', 'one'],
    ['endText', ...FAILED],
    ['endNothing', 200, PLAIN, ''],
    ['plain', 200, PLAIN, 'one'],
    ['plainNothing', 200, PLAIN, ''],
    ['early', ...FAILED],
    ['earlyWithStatus', ...FAILED],
    ['late', 200, PLAIN, 'cut'],
  ])('after %s with %i, %s and %j', async (way, ...expected) => {
    expect(await read(way)).toEqual(expected);
  });
});

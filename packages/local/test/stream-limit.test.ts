import { ManualClock } from '@sallyport/core/testing';
import { createBarrier } from './support/barrier.js';
import { createProject, start } from './support/run.js';

// A REST API waits 29 seconds for a buffered answer, and 15 minutes for a streamed answer:
// https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html

const WAIT = 'await fetch(process.env.BARRIER);';
const streams = (chunks: string) => `
export const handler = awslambda.streamifyResponse(async (event, stream) => {
  const answer = awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: {} });
  ${chunks}
  answer.write('two');
  answer.end();
});`;

test.each<[string, string, number, string]>([
  ['a streamed answer continues after 29 seconds', streams(`answer.write('one,'); ${WAIT}`), 200, 'one,two'],
  ['a streamed answer begins after 29 seconds', streams(WAIT), 200, 'two'],
  [
    'a buffered answer ends after 29 seconds',
    `export const handler = async () => { ${WAIT} return { statusCode: 200 }; };`,
    504,
    '{"message": "Endpoint request timed out"}',
  ],
])('%s', async (_title, code, status, text) => {
  const clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
  // The function reached its wait: 29 seconds and more pass. A streaming function then continues; a buffered one only after its client has the answer.
  const barrier = await createBarrier(({ open }) => {
    void clock.advance(30_000).then(() => status === 200 && open());
  });
  const project = createProject({ 'src/lambda.mjs': code });
  const host = await start(project, { restStream: true, env: { BARRIER: barrier.address } }, { clock });
  const answer = await fetch(`http://127.0.0.1:${host.ports['gateway-v1']}/`);
  expect([answer.status, await answer.text()]).toEqual([status, text]);
  barrier.open();
  await host.stop();
  expect(host.journal.list().at(-1)).toMatchObject({ client: { status } });
  barrier.close();
  project.remove();
});

/** The event that `notes` sends reaches the consumer, which `sallyport dev` runs with its local EventBridge. */
import { fileURLToPath } from 'node:url';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { createClient } from '@sallyport/client';
import { createSignedFetch } from '@sallyport/client/sigv4';
import { LOCAL_COMMANDS } from '@sallyport/local/command';
import { createSender } from '@sallyport/streams/send';
import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import { contractClient, contractEvents } from '@sallyport/testkit/contract';
import { AUDIENCE, createTestService, startIssuer } from '../../notes/test/support.js';
import { createDigest } from '../src/app.js';
import type { NotesContract } from '../src/notes-contract.js';

interface Digest {
  http: { 'GET /digests/{author}': { params: { author: string }; answer: { 200: { titles: string[] } } } };
}

it('an event with the type of the contract is collected, and an event with another type fails', async () => {
  const env = createTestEnv();
  const app = createDigest({ ...env.options(), principalResolver: () => ({ identity: 'reports' }) });
  const events = contractEvents<NotesContract>();
  const note = { id: 'n1', title: 'Tea', text: 'green', authorId: 'ada' };
  await env.invoke(app, events.bus('notes/NoteAdded', note));
  await expect(env.invoke(app, events.bus('notes/NoteAdded', { ...note, title: 5 as never }))).rejects.toMatchObject({
    code: 'streams.handler_failed',
  });
  const api = contractClient<Digest>(env, app);
  await expect(api('GET /digests/{author}', { params: { author: 'ada' } })).resolves.toMatchObject({
    data: { titles: ['Tea'] },
  });
});

it('a note that a user adds to the other service reaches this one', async () => {
  const end = new AbortController();
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  let printed = '';
  let ended: Promise<number> | undefined;
  const started = new Promise<{ ports: Record<string, number> }>((resolve) => {
    const out = (text: string) => {
      printed += text;
      const line = /^\{"type":"started".*\}$/m.exec(printed)?.[0];
      if (line !== undefined) resolve(JSON.parse(line));
    };
    const around = { cwd, environment: {}, out, err: out, input: async () => '', signal: end.signal };
    const flags = [
      '--port',
      '0',
      '--no-state',
      '--json',
      '--timeout',
      '55',
      '--authorizer',
      'iam',
      '--concurrency',
      '1',
    ];
    ended = LOCAL_COMMANDS.dev?.run(flags, around);
  });
  const { ports } = await started;
  let listed = '';
  const out = (text: string) => {
    listed += text;
  };
  const around = { cwd, environment: {}, out, err: out, input: async () => '', signal: end.signal };
  await LOCAL_COMMANDS.env?.run(['--json'], around);
  const { variables } = JSON.parse(listed);
  const credentials = { accessKeyId: variables.AWS_ACCESS_KEY_ID, secretAccessKey: variables.AWS_SECRET_ACCESS_KEY };
  const region = 'us-east-1';

  const eventBridge = new EventBridgeClient({ region, endpoint: `http://127.0.0.1:${ports.aws}`, credentials });
  const sender = createSender<NotesContract>({ clients: { eventBridge } });
  const env = createTestEnv({ now: new Date() });
  const issuer = await startIssuer();
  const notes = createTestService(env, issuer, { announce: (note) => sender.put('notes/NoteAdded', note) });
  const token = await issuer.sign({ sub: 'ada', scope: 'notes:write' }, AUDIENCE);
  const request = { headers: { authorization: `Bearer ${token}` }, json: { title: 'Tea', text: 'green' } };
  await expect(env.invoke(notes.app, buildAPIGatewayV2Request('POST', '/notes', request))).resolves.toMatchObject({
    statusCode: 201,
  });

  const api = createClient<Digest>({
    url: `http://127.0.0.1:${ports['gateway-v2']}`,
    fetch: createSignedFetch({ region, service: 'execute-api', credentials }),
  });
  // EventBridge delivers asynchronously.
  let titles: readonly string[] = [];
  while (titles.length === 0) {
    const digest = await api('GET /digests/{author}', { params: { author: 'ada' } });
    if (!digest.ok) throw new Error(digest.error.code);
    titles = digest.data.titles;
  }
  expect(titles).toEqual(['Tea']);
  end.abort();
  await ended;
  eventBridge.destroy();
  await issuer.close();
});

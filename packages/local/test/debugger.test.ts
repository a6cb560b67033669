import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { createProject, invoke, start } from './support/run.js';

const SERVICE = `export const handler = async (event: { readonly name: string }): Promise<string> => {
  const greeting = 'hello ' + event.name;
  return greeting;
};
`;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, never>>;
  readonly result?: never;
}

/** A client of Node's inspector: https://chromedevtools.github.io/devtools-protocol/v8/Debugger/. */
async function attach(url: string) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const seen: Message[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    seen.push(JSON.parse(String(data)) as Message);
    wake();
  });
  let sent = 0;
  const until = async (find: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const found = seen.find(find);
      if (found) return found;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const call = (method: string, params: object = {}) => {
    sent += 1;
    const id = sent;
    socket.send(JSON.stringify({ id, method, params }));
    return until((message) => message.id === id);
  };
  return { call, until, close: () => socket.close() };
}

test('a breakpoint in a source stops the function, and shows its variables', async () => {
  const project = createProject({ 'src/lambda.ts': SERVICE });
  const host = await start(project, { entry: 'src/lambda.ts', inspect: 0 });
  try {
    await invoke(host, { name: 'first' });
    const lines =
      host.journal
        .list()[0]
        ?.logs.map(({ text }) => text)
        .join('\n') ?? '';
    const { call, until, close } = await attach(/ws:\/\/\S+/.exec(lines)?.[0] ?? '');
    await call('Debugger.enable');
    const { params } = await until(
      ({ method, params: of }) =>
        method === 'Debugger.scriptParsed' &&
        String(of?.url).endsWith('/index.mjs') &&
        String(of?.url).includes('/build/'),
    );
    const { url, sourceMapURL } = params as unknown as { url: string; sourceMapURL: string };
    // The map leads an editor from the built file to the source on the disk.
    const built = fileURLToPath(url);
    const map = JSON.parse(readFileSync(join(dirname(built), sourceMapURL), 'utf8')) as { readonly sources: string[] };
    const sources = map.sources.map((source) => resolve(dirname(built), source));
    expect(sources).toEqual([join(project.folder, 'src/lambda.ts')]);
    expect(sources.every((source) => existsSync(source))).toBe(true);
    const lineNumber = readFileSync(built, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes('return greeting'));
    await call('Debugger.setBreakpointByUrl', { url, lineNumber });
    const outcome = invoke(host, { name: 'ada' });
    const paused = await until(({ method }) => method === 'Debugger.paused');
    const [frame] = (paused.params as unknown as { callFrames: { callFrameId: string }[] }).callFrames;
    const { result } = await call('Debugger.evaluateOnCallFrame', {
      callFrameId: frame?.callFrameId,
      expression: 'greeting',
    });
    expect(result).toMatchObject({ result: { value: 'hello ada' } });
    await call('Debugger.resume');
    expect(await outcome).toMatchObject({ ok: true, answer: 'hello ada' });
    close();
  } finally {
    await host.stop();
    project.remove();
  }
});

test('the start names each part that it waits for', async () => {
  const project = createProject({ 'src/lambda.mjs': 'export const handler = async () => 1;' });
  const phases: string[] = [];
  const host = await start(project, {}, { onPhase: (phase) => void phases.push(phase) });
  await host.stop();
  project.remove();
  expect(phases.at(0)).toBe('the identity');
  expect(phases.at(-1)).toBe('the first build; dependencies are bundled once for each lock file');
});

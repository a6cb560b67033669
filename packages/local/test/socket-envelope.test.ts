import { once } from 'node:events';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { createProject, start } from './support/run.js';

const SERVICE = fileURLToPath(new URL('functions/envelope.ts', import.meta.url));
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

it('a message goes to the route that the stated member of its envelope names', async () => {
  const project = createProject({});
  cpSync(SERVICE, join(project.folder, 'src/lambda.ts'));
  symlinkSync(MODULES, join(project.folder, 'node_modules'));
  const host = await start(project, {
    entry: 'src/lambda.ts',
    conditions: ['@sallyport/source'],
    routeResponse: true,
  });
  try {
    const socket = new WebSocket(`ws://127.0.0.1:${host.ports.websocket}/`);
    await once(socket, 'open');
    const answers = [];
    for (const message of [{ op: 'hello' }, { action: 'hello' }]) {
      socket.send(JSON.stringify(message));
      const [data] = await once(socket, 'message');
      answers.push(JSON.parse(String(data)));
    }
    expect(answers).toEqual([{ route: 'hello' }, { route: 'default' }]);
    socket.close();
    await once(socket, 'close');
  } finally {
    await host.stop();
    project.remove();
  }
});

/** A new project, unchanged, under `sallyport dev`, asked through its console; `npm run release -- --dry` does it with all six kinds, from a registry. */
import { newProject } from '../../packages/create-sallyport/test/support/projects.js';
import { command, type Output } from '../../packages/local/test/support/command.js';
import type { Project } from '../../packages/local/test/support/run.js';
import { ASKED, askEach, consoleOf } from './asked.js';

/** A project of a user has published packages; here they run on their sources. */
function onSources(path: string, text: string): string {
  return path === 'sallyport.json' ? JSON.stringify({ ...JSON.parse(text), conditions: ['@sallyport/source'] }) : text;
}

it('each handler of the kind `full`, which has the handlers of all others, answers the event of its form', async () => {
  const folder = newProject('full', onSources);
  const end = new AbortController();
  const output: Output = { out: '', err: '' };
  const ended = command({ folder } as Project, ['dev', '--port', '0', '--no-types', '--no-state'], output, '', end);
  const started = async () => {
    while (!output.out.includes('state ')) await new Promise((done) => setTimeout(done, 10));
  };
  await Promise.race([started(), ended]);
  try {
    // Connections are in a table. The release sends their events too, with DynamoDB Local.
    const expected = ASKED.full?.filter((line) => !line.startsWith('websocket '));
    expect(await askEach(consoleOf(folder), ['websocket'])).toEqual(expected);
  } finally {
    end.abort();
    await ended;
  }
});

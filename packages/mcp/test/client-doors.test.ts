import { DOOR_NAMES, type OpenedDoor, openDoor } from '../judge/doors.js';
import { CLIENT_CALLS } from './support/client-calls.js';
import { OFFICIAL_CLIENTS, type Official, textOf } from './support/official-clients.js';

const PROMPT = 'test_prompt_with_arguments';

describe.each(DOOR_NAMES)('through %s, a random instance a request', (name) => {
  let door: OpenedDoor;

  beforeAll(async () => {
    door = await openDoor(name);
  });
  afterAll(async () => {
    await door.stop();
    expect(door.violations).toEqual([]);
  });

  describe.each(OFFICIAL_CLIENTS)('%s', (client, connect, hasSessions) => {
    let official: Official;

    beforeAll(async () => {
      official = await connect(door.url);
    });
    afterAll(() => official.close());

    it.each(CLIENT_CALLS)('%s', (_, call) => call(official));

    it('receives the names of the wrong arguments', async () => {
      const result = await official.callTool('json_schema_2020_12_tool', { name: 1, phone: '1' });
      expect(result).toMatchObject({ isError: true });
      expect(textOf(result)).toContain('/name: type');
    });

    it('gets the error of a tool', async () => {
      const result = await official.callTool('test_error_handling');
      expect(result).toMatchObject({ isError: true });
      expect(textOf(result)).toBe('This tool intentionally returns an error for testing');
    });

    it('gets an error without details when a tool throws', async () => {
      const result = await official.callTool('test_crash');
      expect(result).toMatchObject({ isError: true });
      expect(textOf(result)).toMatch(/^Tool failed \(request [\w-]+\)$/);
    });

    it('receives an error for an unknown tool', async () => {
      await expect(official.callTool('missing')).rejects.toMatchObject({ code: -32602 });
    });

    it('reads resources', async () => {
      const { resources } = await official.client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('test://static-text');
      expect(await official.client.readResource({ uri: 'test://static-text' })).toMatchObject({
        contents: [{ text: 'This is the content of the static text resource.' }],
      });
    });

    it('receives an error for an unknown resource', async () => {
      // SDK 2.x maps the code of the older revisions to its error code.
      const code = client === 'SDK 1.x' ? -32002 : -32602;
      await expect(official.client.readResource({ uri: 'test://missing' })).rejects.toMatchObject({ code });
    });

    it('gets prompts', async () => {
      const { prompts } = await official.client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain(PROMPT);
      const args = { arg1: 'x', arg2: 'y' };
      expect(await official.client.getPrompt({ name: PROMPT, arguments: args })).toMatchObject({
        messages: [{ content: { text: "Prompt with arguments: arg1='x', arg2='y'" } }],
      });
    });

    it('gets completions', async () => {
      const argument = { name: 'arg1', value: 'part' };
      const { completion } = await official.client.complete({ ref: { type: 'ref/prompt', name: PROMPT }, argument });
      expect(completion.values).toEqual(['party']);
    });

    if (hasSessions)
      it('pings', async () => {
        expect(await official.client.ping()).toEqual({});
      });

    it('ends its session', async () => {
      const { length } = door.requests;
      const other = await connect(door.url);
      await other.terminate();
      await other.close();
      const deletes = door.requests.slice(length).filter(({ method }) => method === 'DELETE');
      expect(deletes).toEqual(hasSessions ? [{ method: 'DELETE', status: 200 }] : []);
    });
  });
});

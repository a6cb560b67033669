import { AGENTS, type AuthorizationServer, DOOR_NAMES, type OpenDoor, openDoor } from '@sallyport/oauth-lab';
import { createTestEnv } from '@sallyport/testkit';
import { createTestService, startIssuer } from './support.js';

const CASES = DOOR_NAMES.flatMap((name) => [
  { name, renamesChallenge: false, as: '' },
  { name, renamesChallenge: true, as: ', which renames the challenge' },
]);

describe.each(CASES)('through $name$as', ({ name, renamesChallenge }) => {
  let door: OpenDoor;
  let issuer: AuthorizationServer;

  beforeAll(async () => {
    door = await openDoor(name, { renamesChallenge });
    issuer = await startIssuer([`${door.origin}/mcp`]);
    const env = createTestEnv({ now: new Date() });
    const { app } = createTestService(env, issuer, { limit: 1000, publicUrl: door.origin });
    door.handler = (event, context) => app.handleLambda(event, context as never);
  });
  afterAll(() => Promise.all([door.close(), issuer.close()]));

  it.each(AGENTS)('%s finds its way from the URL alone', async (_, signIn) => {
    const lines: string[] = [];
    const agent = await signIn({
      url: new URL(`${door.origin}/mcp`),
      person: { account: 'ada', password: issuer.password },
      onRequest: (line) => lines.push(line.replace(door.origin, 'notes').replace(issuer.issuer, 'issuer')),
    });
    expect(lines.filter((line) => !/\/(sign-in|authorize)\//.test(line)).slice(0, 7)).toEqual([
      'POST notes/mcp 401',
      'GET notes/.well-known/oauth-protected-resource/mcp 200',
      'GET issuer/.well-known/oauth-authorization-server 200',
      'POST issuer/register 201',
      'GET issuer/authorize 303',
      'POST issuer/token 200',
      'POST notes/mcp 200',
    ]);
    expect(await agent.callTool('find_notes', { word: 'litre' })).toMatchObject({
      structuredContent: { notes: [{ id: 'note-1', text: 'one litre' }] },
    });
    expect(await agent.callTool('add_note', { title: 'Bread', text: 'one loaf' })).toMatchObject({
      structuredContent: { id: expect.stringMatching(/^note-\d+$/) as unknown },
    });
    await agent.close();
  });

  it('rejects a sign-in without the password', async () => {
    const [, signIn] = AGENTS[0] as (typeof AGENTS)[number];
    const person = { account: 'ada', password: 'guessed' };
    await expect(signIn({ url: new URL(`${door.origin}/mcp`), person })).rejects.toThrow('sign-in failed with 403');
  });
});

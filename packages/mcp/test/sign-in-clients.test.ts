import { AGENTS, DOOR_NAMES } from '@sallyport/oauth-lab';
import { openCognitoLab, openOidcLab } from './support/sign-in.js';

const PROVIDERS = [
  { provider: 'Cognito with resource binding', open: openCognitoLab, subject: 'sub-ada' },
  {
    provider: 'Cognito without resource binding',
    open: (options: object) => openCognitoLab(options, { resourceBinding: false }),
    subject: 'sub-ada',
  },
  { provider: 'oidc-provider', open: openOidcLab, subject: 'ada' },
];

const STEPS = [
  'POST /mcp 401',
  'GET /.well-known/oauth-protected-resource/mcp 200',
  'GET /.well-known/oauth-authorization-server 200',
  'POST /oauth/register 201',
  'GET /oauth/authorize 200',
  'POST /oauth/authorize 303',
  'GET /oauth/callback 302',
  'POST /oauth/token 200',
  'POST /mcp 200',
];

describe.each(PROVIDERS)('with $provider', ({ open, subject }) => {
  it.each(AGENTS)(
    '%s signs in, calls a tool, and gets a new token when the old one is rejected',
    async (_, connect) => {
      const lab = await open({});
      const agent = await connect({ url: lab.url, person: lab.person });
      expect(await agent.callTool('who')).toMatchObject({ content: [{ text: `${subject} notes:read` }] });
      expect(lab.door.requests.slice(0, 9)).toEqual(STEPS);
      const { memory } = agent;
      const tokens = memory.tokens();
      memory.saveTokens({ ...tokens, access_token: 'a.b.c', token_type: 'Bearer' });
      expect(await agent.callTool('who')).toMatchObject({ content: [{ text: `${subject} notes:read` }] });
      expect(memory.tokens()?.refresh_token).not.toBe(tokens?.refresh_token);
      expect(lab.door.requests.slice(-3)).toEqual(['POST /mcp 401', 'POST /oauth/token 200', 'POST /mcp 200']);
      await agent.close();
      await lab.close();
      expect(lab.lines).toMatchObject([{ event: 'mcp.bearer_rejected' }]);
    },
  );
});

describe.each(DOOR_NAMES)('through %s', (door) => {
  it('a client signs in, with the challenge renamed too', async () => {
    for (const renamesChallenge of [false, true]) {
      const lab = await openCognitoLab({ door, renamesChallenge });
      for (const [, connect] of AGENTS) {
        const agent = await connect({ url: lab.url, person: lab.person });
        expect(await agent.callTool('who')).toMatchObject({ content: [{ text: expect.stringContaining('sub-ada') }] });
        await agent.close();
      }
      await lab.close();
    }
  });
});

import { AGENTS, type AuthorizationServer } from '@sallyport/oauth-lab';

/** The requests of a client up to the first successful call. */
const EXPECTED = [
  'POST notes/mcp 401',
  'GET notes/.well-known/oauth-protected-resource/mcp 200',
  'GET issuer/.well-known/oauth-authorization-server 200',
  'POST issuer/register 201',
  'GET issuer/authorize 303',
  'POST issuer/token 200',
  'POST notes/mcp 200',
];

/**
 * Connects an official MCP client that is configured only with the URL, and prints its requests.
 *
 * @returns whether the requests and the result are as expected
 */
export async function showAgent(origin: string, issuer: AuthorizationServer): Promise<boolean> {
  const [name, signIn] = AGENTS[AGENTS.length - 1] as (typeof AGENTS)[number];
  const lines: string[] = [];
  const agent = await signIn({
    url: new URL(`${origin}/mcp`),
    person: { account: 'ada', password: issuer.password },
    onRequest: (line) => lines.push(line.replace(origin, 'notes').replace(issuer.issuer, 'issuer')),
  });
  const { structuredContent } = (await agent.callTool('find_notes', { word: 'litre' })) as {
    structuredContent?: unknown;
  };
  await agent.close();
  // Without the pages on which the user signs in: the client does not see them.
  const steps = lines.filter((line) => !/\/(sign-in|authorize)\//.test(line));
  console.log(`\nRequests of an agent (${name}) that knows only ${origin}/mcp:\n`);
  for (const step of steps) console.log(`  ${step}`);
  console.log(`\nIt found ${JSON.stringify(structuredContent)}.`);
  return EXPECTED.every((step, at) => steps[at] === step) && JSON.stringify(structuredContent).includes('one litre');
}

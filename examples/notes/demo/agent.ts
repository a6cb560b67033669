import { AGENTS, type AuthorizationServer } from '@sallyport/oauth-lab';

/** What a client asks on its way from a URL to the first answer. */
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
 * Lets an official MCP client find its way, which is told nothing but the URL, and prints what it asked.
 *
 * @returns whether it asked what was expected, and got its answer
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
  // Between the authorization URL and the code a person signs in: pages, which the client does not see.
  const steps = lines.filter((line) => !/\/(sign-in|authorize)\//.test(line));
  console.log(`\nAn agent (${name}) that knows only ${origin}/mcp, and what it asks:\n`);
  for (const step of steps) console.log(`  ${step}`);
  console.log(`\nIt found ${JSON.stringify(structuredContent)}.`);
  return EXPECTED.every((step, at) => steps[at] === step) && JSON.stringify(structuredContent).includes('one litre');
}

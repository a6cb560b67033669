// Clients of other makers against the four doors: `node --conditions=@sallyport/source --import tsx judge/third-party.ts`.
import { type Connect, type ThirdPartyClient, ThirdPartyClients, VERSIONS } from './clients/third-party.js';
import { DOOR_NAMES, openDoor } from './doors.js';

const TEXT = 'This is a simple text response for testing.';

/** A check of one client: its name, its result, and the required part of the result. */
type Check = readonly [what: string, got: (client: ThirdPartyClient) => Promise<unknown>, wanted: string];

const list: Check = ['list', (client) => client.list(), 'test_simple_text'];
const call: Check = ['call', (client) => client.call('test_simple_text'), TEXT];
const toolError: Check = [
  'tool error',
  (client) => client.call('test_error_handling').catch(String),
  'This tool intentionally returns an error for testing',
];
const elicitation: Check = ['elicitation', (client) => client.call('test_elicitation', { message: 'Who?' }), 'ada'];
const elicitations: Check = ['two elicitations', (client) => client.call('test_two_questions'), 'ada ada'];
const rounds: Check = [
  'two rounds',
  (client) => client.call('test_input_required_result_multi_round'),
  'Ada likes blue.',
];
const closed: Check = [
  'closed stream',
  (client) => client.call('test_reconnection'),
  'Reconnection test completed successfully',
];
const progress: Check = ['progress', async (client) => client.progressOf?.('test_tool_with_progress'), '[0,50,100]'];
const resource: Check = ['resource', async (client) => client.read?.('test://static-text'), 'static text resource'];
const prompt: Check = ['prompt', async (client) => client.prompt?.('test_simple_prompt'), 'simple prompt'];

const asking = [list, call, toolError, elicitation, rounds, closed, resource, prompt];

/** Runs the checks of one client; returns the failures as text. */
async function judge(connect: Connect, checks: readonly Check[], url: string): Promise<readonly string[]> {
  const client = await connect(url);
  const failed: string[] = [];
  for (const [what, got, wanted] of checks) {
    const text = await got(client).then(JSON.stringify, String);
    if (!text?.includes(wanted)) failed.push(`${what}: ${text?.slice(0, 200)}`);
  }
  await client.close();
  return failed;
}

let missed = 0;
function line(what: string, failed: readonly string[], text: string): void {
  if (failed.length > 0) missed += 1;
  process.stdout.write(`  ${failed.length === 0 ? 'ok    ' : 'MISSED'} ${what}: ${text}\n`);
  for (const why of failed) process.stdout.write(`      ${why}\n`);
}

const clients = new ThirdPartyClients();
const CLIENTS: readonly (readonly [name: string, connect: Connect, checks: readonly Check[]])[] = [
  ['@ai-sdk/mcp', clients.aiSdk, asking],
  ['ai-sdk-1', clients.aiSdk1, [list, call, elicitation, elicitations, rounds]],
  ['@langchain/mcp-adapters', clients.langchain, [list, call, toolError, progress, closed]],
  ['mcp-remote', clients.mcpRemote, asking],
];
try {
  for (const name of DOOR_NAMES) {
    process.stdout.write(`\nclients of other makers, ${name}\n`);
    const door = await openDoor(name);
    for (const [client, connect, checks] of CLIENTS) {
      if (client === 'ai-sdk-1' && !name.endsWith('streaming')) continue;
      const failed = await judge(connect, checks, door.url.href);
      line(`${client} ${VERSIONS[client]}`, failed, `${checks.length - failed.length}/${checks.length}`);
    }
    await door.stop();
    line('store used after the response', door.violations, `${door.violations.length} times`);
  }
} finally {
  clients.close();
}
process.exit(missed > 0 ? 1 : 0);

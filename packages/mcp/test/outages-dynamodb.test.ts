import { atEachCall, FaultyTable, OUTAGES, type OutageRun } from '@sallyport/dynamodb-local';
import { SecureApp } from '@sallyport/secure';
import { dynamoMcpStore, type McpServer } from '../src/index.js';
import { MCP_TABLE_SCHEMA } from '../src/schema.js';
import { type McpTaskEvent, mcpTasks } from '../src/tasks.js';
import { type Answer, type Connection, Rig } from './support/rig.js';

const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

let table: FaultyTable;

beforeAll(async () => {
  table = await FaultyTable.start(MCP_TABLE_SCHEMA);
});

afterAll(() => table.stop());

function service({ client, clock }: OutageRun) {
  const ran = { times: 0 };
  const events: McpTaskEvent[] = [];
  const register = (server: McpServer) => {
    server.tool('run', { task: {} }, () => {
      ran.times += 1;
      return 'done';
    });
    server.tool('ask', { asks: ['elicitation'] }, async (_, ctx) => {
      const { action } = await ctx.elicit({ message: 'Pay?' });
      ran.times += 1;
      return `paid: ${action}`;
    });
  };
  const store = dynamoMcpStore({ client, tableName: table.name, clock });
  const tasks = { start: (event: McpTaskEvent) => events.push(event) };
  const rig = new Rig({ clock, register, remainingMs: 60_000, server: { store, tasks, changes: true } });
  return { rig, ran, events };
}

const questionOf = (answer: Answer) => answer.events.find(({ data }) => data?.method && data.id !== undefined)?.data.id;
const lastId = (answer: Answer) => answer.events.findLast(({ id }) => id !== undefined)?.id ?? '';

describe.each(OUTAGES)('$name, at each request to DynamoDB', (outage) => {
  it('of the run of a task: it is completed, and its handler ran once', async () => {
    const requests = await atEachCall(table, outage, {
      async prepare(run) {
        const made = service(run);
        const params = { name: 'run', arguments: {} };
        const answer = await made.rig.stateless('tools/call', params, { capabilities: CAPABILITIES });
        return { ...made, taskId: answer.json.result.taskId as string };
      },
      act: ({ rig, events: [event] }, { clock }) =>
        new SecureApp({
          ...{ clock, log: false, surfaces: [mcpTasks(rig.server())], principalResolver: () => null },
        }).handleLambda(event, { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 }),
      async check({ rig, ran, taskId }, { error }) {
        expect([error, ran.times]).toEqual([undefined, 1]);
        const sent = { capabilities: CAPABILITIES, headers: { 'mcp-name': taskId } };
        const { status, result } = (await rig.stateless('tasks/get', { taskId }, sent)).json.result;
        expect([status, result.content[0].text]).toEqual(['completed', 'done']);
      },
    });
    // The read and the claim, the mark, the read and the end, the notification.
    expect(requests).toEqual(['GetItem', 'PutItem', 'UpdateItem', 'GetItem', 'PutItem', 'PutItem']);
  });

  it('of the answer of a user: the rest runs once, and its result is kept', async () => {
    const requests = await atEachCall<{
      rig: Rig;
      ran: { times: number };
      session: Connection;
      parked: Answer;
    }>(table, outage, {
      async prepare(run) {
        const { rig, ran } = service(run);
        const session = await rig.connect();
        return { rig, ran, session, parked: await session.call('ask') };
      },
      async act({ session, parked }) {
        const answer = () => session.answer(questionOf(parked), { action: 'accept', content: {} });
        let answered = await answer();
        for (let again = 0; answered.status === 503 && again < 200; again += 1) answered = await answer();
        return answered.status;
      },
      async check({ session, parked, ran }, { value }) {
        expect([value, ran.times]).toEqual([202, 1]);
        const rest = await session.resume(lastId(parked));
        expect(rest.events.at(-1)?.data.result.content[0].text).toBe('paid: accept');
      },
    });
    expect(requests.filter((operation) => operation === 'PutItem')).toHaveLength(3);
  });
});

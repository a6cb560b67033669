import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { CONTRACT_COMMAND, DOCTOR_COMMAND, RUNBOOK_COMMAND } from '@sallyport/cli/command';
import {
  contractDigest,
  contractInTemplate,
  parseContractFile,
  type ServiceContract,
} from '@sallyport/contract/service';
import { AWS_CLI, writeProgram } from '../../../packages/cli/test/support/aws-cli.js';
import { deployedState, type StackTemplate } from '../../../packages/cli/test/support/deployed-state.js';
import { type DevRun, runIn, startDev } from '../../../packages/cli/test/support/dev.js';
import { commandIn, runLine, section } from '../../../packages/cli/test/support/page.js';
import { writeRedriveAsNpx } from '../../../packages/cli/test/support/redrive-main.js';
import { type DeployedState, type StandIn, startStandIn } from '../../../packages/cli/test/support/stand-in.js';
import { Assembly } from './assembly.js';

let folder: string;
let assembly: Assembly;
let page: string;
let warnings = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notes-runbook-'));
  assembly = new Assembly(folder);
  await RUNBOOK_COMMAND.run(['Notes.template.json', '--manifest', 'sallyport.json', '--out', 'RUNBOOK.md'], {
    cwd: folder,
    environment: {},
    out: () => {},
    err: (text) => {
      warnings += text;
    },
    input: async () => '',
    signal: new AbortController().signal,
  });
  page = readFileSync(join(folder, 'RUNBOOK.md'), 'utf8');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the runbook has a section for each door, source, store and tool of the service', () => {
  expect(warnings).toBe('');
  expect([...page.matchAll(/^### (.+)$/gm)].map(([, title]) => title)).toEqual([
    'Function ServiceFunction',
    'Function ExportsFunction',
    'HTTP API ServiceHttpApi',
    'WebSocket API ServiceWebSocket',
    'GraphQL API ServiceGraphql',
    'Queue reminders',
    'Queue orders',
    'Queue ledger.fifo',
    'Stream clicks',
    'Table stream notes',
    'Event rule billing InvoicePaid',
    'Schedule nightly-cleanup',
    'Topic announcements',
    'Topic note-exports',
    'Bucket events uploads',
    'Bucket Attachments',
    'Table Notes',
    'Table ServiceJobs',
    'Table ServiceConnections',
    'Table ServiceMcpSessions',
    'Table ServiceLimits',
    'Secret ServiceMcpSecret',
    'Vector index Search',
    'MCP server /mcp',
  ]);
});

test('every alarm of the stack belongs to a section, and links to its explanation', () => {
  const alarms = Object.entries(assembly.resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
  expect(alarms.length).toBeGreaterThan(20);
  for (const [id] of alarms) {
    const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`(\`${id}\`)`));
    expect(row).toMatch(/\| \[[^\]]+\]\(#[\w-]+\) \| \[[^\]]+\]\(docs\/operations\.md#[\w-]+\) \|$/);
  }
});

test('every name that the commands look up is a resource of the stack', () => {
  const names = [...page.matchAll(/\$\(name (\w+)\)/g)].map(([, id = '']) => id);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((id) => !Object.hasOwn(assembly.resources, id))).toEqual([]);
});

test('the query of a queue selects its lines by the registered name', () => {
  const [, part = ''] = page.split('### Queue orders\n');
  expect(part.slice(0, part.indexOf('###'))).toContain('| filter source = "orders"');
});

test('every link within the page leads to a section', () => {
  const anchors = new Set(
    [...page.matchAll(/^#{2,3} (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
  expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});

describe('the contract in the template', () => {
  let deployed: ServiceContract;
  beforeAll(() => {
    const template = readFileSync(join(folder, 'Notes.template.json'), 'utf8');
    deployed = parseContractFile(contractInTemplate(template, 'Notes') ?? '', 'Notes');
  });

  test('has the digest of the published contract, whose name and entry are others', async () => {
    const project = join(import.meta.dirname, '..');
    const entries = ['src/lambda.ts', 'src/exports-lambda.ts'];
    const args = [...entries, '--out', join(folder, 'contract'), '--condition', '@sallyport/source'];
    expect(await runIn(project, CONTRACT_COMMAND.run, args)).toMatchObject({ code: 0, err: '' });
    const text = readFileSync(join(folder, 'contract', 'contract.json'), 'utf8');
    const published = parseContractFile(text, 'contract.json');
    expect([published.service, deployed.service]).toEqual(['@sallyport/example-notes', 'Notes']);
    expect(contractDigest(deployed)).toBe(contractDigest(published));
  });

  test('has a schema for every answer and message that has a place for it', () => {
    const { http, tool, invoke, field, socket, queue, stream, topic, bus, table } = deployed;
    const isEmpty = (schema: object) => Object.keys(schema).length === 0;
    const answers = Object.entries(http).flatMap(([name, { answer }]) => (answer ? [] : [name]));
    const calls = Object.entries({ ...tool, ...invoke, ...field }).flatMap(([name, { input, output }]) =>
      isEmpty(input) || isEmpty(output) ? [name] : [],
    );
    const sources = { ...queue, ...stream, ...topic, ...bus, ...table, ...socket.in, ...socket.out };
    const messages = Object.entries(sources).flatMap(([name, { message }]) => (isEmpty(message) ? [name] : []));
    // Bytes of a file, documents of OAuth, and a field that is resolved in batches.
    expect(answers.filter((name) => !name.includes('/.well-known/'))).toEqual(['GET /notes/{id}/attachments/{name}']);
    expect({ calls, messages }).toEqual({ calls: ['Note.author'], messages: [] });
    expect(deployed.unknown).toEqual([]);
  });
});

/** The drill of docs/operations.md ("A drill: three faults of a service"), with the generated page and no other source. */
describe('a planted fault is found and repaired with the page alone', () => {
  let standIn: StandIn;
  let healthy: () => DeployedState;
  beforeAll(async () => {
    const template = JSON.parse(readFileSync(join(folder, 'Notes.template.json'), 'utf8')) as StackTemplate;
    healthy = () => deployedState(template);
    standIn = await startStandIn(healthy());
    writeProgram(folder, 'aws', AWS_CLI);
  });
  afterAll(() => standIn.close());
  let dev: DevRun | undefined;
  beforeEach(() => {
    standIn.state = healthy();
  });
  afterEach(async () => {
    await dev?.stop();
    dev = undefined;
  });

  const environment = () => ({
    AWS_ENDPOINT_URL: standIn.endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI',
  });
  /** The page for the deployed stack, with the physical names. */
  const deployedPage = async () => {
    const args = ['Notes.template.json', '--manifest', 'sallyport.json', '--stack', 'Notes'];
    return (await runIn(folder, RUNBOOK_COMMAND.run, args, environment())).out;
  };
  const shell = (from: string, line: string, env: NodeJS.ProcessEnv = environment(), bin = folder) =>
    runLine(from, line, { ...env, PATH: `${join(bin, 'bin')}:${process.env.PATH}` });
  const doctor = async () => (await runIn(folder, DOCTOR_COMMAND.run, ['Notes'], environment())).out;
  const HEALTHY = /^Notes: \d+ resources, 0 findings\n$/;

  test('a disabled mapping: reminders wait in their queue', async () => {
    const mapping = assembly.idOf('AWS::Lambda::EventSourceMapping', 'ServiceWiringQueueNotesServiceQueuereminders');
    Object.assign(standIn.state.mappings[`${mapping}-1`] ?? {}, { State: 'Disabled' });
    const printed = await deployedPage();
    // 1. The table of alarms leads from the alarm to the section of the queue.
    expect(section(printed, 'Alarms')).toMatch(/Messages wait in a queue.*\[Queue reminders\]\(#queue-reminders\)/);
    const part = section(printed, 'Queue reminders');
    // 2. The first look shows the state of the mapping.
    const look = commandIn(part, /get-event-source-mapping/);
    expect(await shell(printed, look)).toBe('["Disabled","OK"]');
    // 3. The line to resume enables it. 4. The same look, and the check of the stack, confirm it.
    await shell(printed, commandIn(part, /--enabled # resume/));
    expect(await shell(printed, look)).toBe('["Enabled","OK"]');
    expect(await doctor()).toMatch(HEALTHY);
  });

  test('a paused function: every door answers with an error', async () => {
    const id = assembly.idOf('AWS::Lambda::Function', 'Service');
    standIn.state.concurrency = { [`${id}-1`]: 0 };
    const printed = await deployedPage();
    // 1. The command of "Before you start" names the cause. 2. The section of the function has the line to resume.
    expect(section(printed, 'Before you start')).toContain('npx sallyport doctor Notes');
    expect(await doctor()).toContain(`paused-function  ${id}`);
    await shell(printed, commandIn(section(printed, 'Function ServiceFunction'), /delete-function-concurrency/));
    expect(await doctor()).toMatch(HEALTHY);
  });

  test('orders that were given up, because the warehouse did not answer', async () => {
    const service = join(import.meta.dirname, 'orders-service.ts');
    const started = await startDev(
      (of) => `import { createOrdersHandler } from '${service}';\nexport const handler = createOrdersHandler('${of}');`,
      { queues: { orders: { maxReceiveCount: 2, visibilityTimeoutMs: 1000 } }, speed: 1000 },
    );
    dev = started;
    const urlOf = async (QueueName: string) =>
      (await started.sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl ?? '';
    const given = new GetQueueAttributesCommand({
      QueueUrl: await urlOf('orders-dlq'),
      AttributeNames: ['ApproximateNumberOfMessages'],
    });
    const deadLetters = async (count: number) => {
      while ((await started.sqs.send(given)).Attributes?.ApproximateNumberOfMessages !== String(count))
        await new Promise((resolve) => setTimeout(resolve, 10));
    };
    started.write('warehouse-is-down', '');
    for (const id of ['A-1', 'A-2'])
      await started.sqs.send(
        new SendMessageCommand({ QueueUrl: await urlOf('orders'), MessageBody: JSON.stringify({ id }) }),
      );
    await deadLetters(2);
    // The failure queue of the stack is the local one.
    const id = assembly.idOf('AWS::SQS::Queue', 'ServiceQueueordersDeadLetters');
    const physical = await urlOf('orders-dlq');
    standIn.state.resources = standIn.state.resources.map((one) => (one.id === id ? { ...one, physical } : one));
    const printed = await deployedPage();
    await writeRedriveAsNpx(started.folder);
    const run = (line: string) => shell(printed, line, { ...started.variables, NODE_NO_WARNINGS: '1' }, started.folder);

    // 1. The table of alarms leads to the section of the queue.
    expect(section(printed, 'Alarms')).toMatch(/Messages are in a failure queue.*\[Queue orders\]\(#queue-orders\)/);
    const part = section(printed, 'Queue orders');
    // 2. The first look is a query for the error lines of the queue. The line names the cause: another service.
    expect(part).toContain('| filter level = "ERROR"\n| filter source = "orders"');
    while (!started.printed().includes('the warehouse does not answer'))
      await new Promise((resolve) => setTimeout(resolve, 10));
    // 3. What is lost: the page has the time until the messages are deleted.
    expect(part).toContain('14 days');
    // 4. The warehouse answers again. The lines of "Redrive" list the messages, send one and then the others.
    rmSync(join(started.folder, 'warehouse-is-down'));
    const list = commandIn(part, /--dry-run/);
    expect(await run(list)).toContain('"id":"A-1"');
    await run(commandIn(part, /--limit 1 --watch 300/));
    await deadLetters(1);
    await run(commandIn(part, new RegExp(`redrive "\\$\\(name ${id}\\)"$`)));
    await deadLetters(0);
    const fulfilled = join(started.folder, 'fulfilled');
    while (!existsSync(fulfilled) || readFileSync(fulfilled, 'utf8').split('\n').length < 3)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(readFileSync(fulfilled, 'utf8').split('\n').sort()).toEqual(['', 'A-1', 'A-2']);
    expect(await run(list)).toBe('orders-dlq: no dead letters');
  });
});

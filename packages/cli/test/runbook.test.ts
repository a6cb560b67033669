import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DOCTOR_COMMAND, RUNBOOK_COMMAND } from '@sallyport/cli/command';
import { AWS_CLI, writeProgram } from './support/aws-cli.js';
import { runIn } from './support/dev.js';
import { healthy, TEMPLATE } from './support/orders-stack.js';
import { commandIn, runLine, section } from './support/page.js';
import { type StandIn, startStandIn } from './support/stand-in.js';

let folder: string;
let standIn: StandIn;
beforeAll(async () => {
  standIn = await startStandIn(healthy());
  folder = mkdtempSync(join(tmpdir(), 'sallyport-runbook-'));
  write('Orders.template.json', JSON.stringify(TEMPLATE));
  writeProgram(folder, 'aws', AWS_CLI);
});
afterAll(async () => {
  await standIn.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  standIn.state = healthy();
});

function write(file: string, content: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), content);
}

const environment = () => ({
  AWS_ENDPOINT_URL: standIn.endpoint,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI',
});
const runbook = (...args: readonly string[]) => runIn(folder, RUNBOOK_COMMAND.run, args, environment());
/** Runs a line of the page with the `aws` of this test. */
const shell = (page: string, line: string) =>
  runLine(page, line, { ...environment(), PATH: `${join(folder, 'bin')}:${process.env.PATH}` });
const doctor = async () => (await runIn(folder, DOCTOR_COMMAND.run, ['Orders'], environment())).out;

test('each part has its purpose, its alarms, a first look, actions and what is lost', async () => {
  const { code, out, err } = await runbook('Orders.template.json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const titles = [...out.matchAll(/^### (.+)$/gm)].map(([, title = '']) => title);
  expect(titles).toEqual(['Function Api', 'Queue Orders', 'Event rule billing']);
  for (const title of titles) {
    const part = section(out, title);
    for (const head of ['**Alarms.**', '**First look.**', '**What to do.**', '**If nothing is done.**']) {
      expect(part).toContain(head);
    }
  }
  expect(out).toContain('(docs/operations.md#failure-queue)');
});

/** A third fault is in drill.test.ts: messages that were given up, on a real queue. All three on a whole service: `examples/notes/test/runbook.test.ts`. */
describe('a planted fault is found and repaired with the page alone', () => {
  const page = async () => (await runbook('Orders.template.json', '--stack', 'Orders')).out;

  test('a mapping that was disabled: messages wait in a queue', async () => {
    const mapping = Object.values(standIn.state.mappings)[0] ?? {};
    mapping.State = 'Disabled';
    // 1. The table of alarms leads to the queue. 2. Its first look shows the state of the mapping.
    const part = section(await page(), 'Queue Orders');
    expect(await shell(await page(), commandIn(part, /get-event-source-mapping/))).toBe('["Disabled","OK"]');
    // 3. The line to resume enables it. 4. The same look confirms it.
    await shell(await page(), commandIn(part, /--enabled # resume/));
    expect(await shell(await page(), commandIn(part, /get-event-source-mapping/))).toBe('["Enabled","OK"]');
    expect(await doctor()).toBe('Orders: 9 resources, 0 findings\n');
  });

  test('a function that was paused: invocations find no free environment', async () => {
    standIn.state.concurrency = { 'orders-api': 0 };
    // 1. The command of "Before you start" names the cause. 2. The section of the function has the line to resume.
    expect(section(await page(), 'Before you start')).toContain('npx sallyport doctor Orders');
    expect(await doctor()).toContain('paused-function  Api');
    await shell(await page(), commandIn(section(await page(), 'Function Api'), /delete-function-concurrency/));
    expect(await doctor()).toBe('Orders: 9 resources, 0 findings\n');
  });
});

test('writes a file, and names a registration without a resource', async () => {
  write('inventory.json', JSON.stringify({ version: 1, routes: [], triggers: [{ kind: 'stream', name: 'clicks' }] }));
  const { code, out, err } = await runbook(
    'Orders.template.json',
    '--inventory',
    'inventory.json',
    '--out',
    'RUNBOOK.md',
  );
  expect({ code, out, err }).toEqual({
    code: 0,
    out: 'RUNBOOK.md\n',
    err: 'warning: the stream "clicks" is registered, and the template has no resource for it\n',
  });
  expect(readFileSync(join(folder, 'RUNBOOK.md'), 'utf8')).toContain('# Runbook of Orders');
});

test.each([
  [[], 'cdk.out has no templates: run cdk synth, or name a template'],
  [['nosuch.json'], 'nosuch.json does not exist'],
  [['bin/aws'], 'is not JSON'],
  [['inventory.json'], 'inventory is not a CloudFormation template in JSON'],
  [['Orders.template.json', '--manifest', 'nosuch.json'], 'the file nosuch.json does not exist or is not JSON'],
  [['Orders.template.json', '--ot', 'x'], 'unknown flag --ot (did you mean "out"?)'],
])('%j is an invalid command line', async (args, problem) => {
  write('inventory.json', '{ "version": 1 }');
  const { code, err } = await runbook(...args);
  expect(code).toBe(2);
  expect(err).toContain(problem);
});

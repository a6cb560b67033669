/** `contract check --against stack:`, with the client of CloudFormation over the wire. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packContract, toContract } from '@sallyport/contract/service';
import { CONTRACT_COMMAND } from '../../src/command.js';
import { healthy } from '../support/orders-stack.js';
import { runIn } from '../support/run.js';
import { type StandIn, startStandIn } from '../support/stand-in.js';

const contract = (http: object) => JSON.stringify({ ...toContract('notes', []), http });
const OLD = contract({ 'GET /old': { function: 'src/lambda.ts' } });

let standIn: StandIn;
let folder: string;
beforeAll(async () => {
  standIn = await startStandIn(healthy());
  folder = mkdtempSync(join(tmpdir(), 'stack-'));
  writeFileSync(join(folder, 'new.json'), contract({}));
  writeFileSync(join(folder, 'old.json'), OLD);
});
beforeEach(() => {
  standIn.state = healthy();
});
afterAll(async () => {
  await standIn.close();
  rmSync(folder, { recursive: true });
});

const check = (...args: readonly string[]) =>
  runIn(folder, CONTRACT_COMMAND.run, ['check', ...args], {
    AWS_ENDPOINT_URL: standIn.endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI',
  });
const deployed = (held: unknown) => {
  standIn.state.template = { Metadata: { 'sallyport:contract': held }, Resources: {} };
};

test('compares with the contract in the template of each deployed stack', async () => {
  deployed(packContract(OLD));
  const stacks = ['--against', 'stack:notes-staging', '--against', 'stack:notes-production'];
  const { code, out, err } = await check('--new', 'new.json', ...stacks);
  expect([code, err]).toEqual([1, '']);
  expect(out).toBe(`breaks  callers of GET /old
  GET /old: entry-removed
  before  present
  now     absent
  remedy  keep it until nothing calls it and nothing is in flight
  id      GET /old entry-removed
  against stack:notes-staging, stack:notes-production
1 breaking changes, 1 findings
`);
  expect(await check('--new', 'old.json', ...stacks)).toEqual({
    code: 0,
    out: '0 breaking changes, 0 findings\n',
    err: '',
  });
});

test.each([
  [
    'a stack without contract',
    undefined,
    2,
    'the stack notes was deployed without its contract: deploy it with Service or recordContract of @sallyport/constructs',
  ],
  ['a contract that is not compressed', 'e30=', 2, 'contract: the contract in the stack notes cannot be read'],
  [
    'a contract of another version',
    packContract('{"version":2}'),
    2,
    'contract: stack:notes has version 2, expected 1: write it again with this release',
  ],
])('rejects %s', async (_, held, code, problem) => {
  deployed(held);
  expect(await check('--new', 'new.json', '--against', 'stack:notes')).toEqual({
    code,
    out: '',
    err: `sallyport: ${problem}\n`,
  });
});

test('names an expired session, and no token', async () => {
  standIn.state.expired = true;
  const { code, err } = await check('--new', 'new.json', '--against', 'stack:notes');
  expect([code, err]).toEqual([
    1,
    'sallyport: cloudformation:GetTemplate notes: ExpiredToken: sign in to AWS, then run the same command again\n',
  ]);
});

test('with --otherwise a stack without contract is a warning, and the other contract is compared', async () => {
  deployed(undefined);
  const args = ['--new', 'new.json', '--against', 'stack:notes', '--otherwise', 'old.json'];
  const { code, out, err } = await check(...args);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^warning: the stack notes was deployed without its contract/),
  ]);
  expect(out).toContain('against old.json\n1 breaking changes, 1 findings\n');
});

/** The contract of a service in the template of its stack, and its comparison with what is deployed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractInTemplate } from '@sallyport/contract/service';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import type { Stack } from 'aws-cdk-lib/core';
import { Routes, recordContract, Service, type ServiceProps, Source } from '../src/index.js';
import { CONDITIONS, newApplication } from './support/application.js';
import { messageOf, newStack, templateOf } from './support/synth.js';

const SHOP = `
app.get('/orders', () => json(200, []), Authenticated('orders:read'));
app.get('/reports', () => json(200, ['reports']), Authenticated());
app.queue('reports', () => undefined);
`;
const shop = newApplication(SHOP);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-contract-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function newService(props: Partial<ServiceProps> = {}, stack: Stack = newStack(), id = 'Shop'): Service {
  const sources = props.split ? [] : [Source.queue('reports')];
  return new Service(stack, id, { entry: shop, stage: 'production', conditions: CONDITIONS, sources, ...props });
}

const textOf = (service: Service) =>
  contractInTemplate(JSON.stringify(templateOf(service.node.scope as Stack)), 'the template');

interface Found {
  readonly http: Record<string, { readonly scopes?: readonly string[] }>;
  readonly queue: object;
}

describe('the template of a service', () => {
  it('has one contract over all functions of split, with nothing twice', () => {
    const include = [Routes.under('/reports'), Source.queue('reports')];
    const { http, queue } = JSON.parse(textOf(newService({ split: { reports: { include } } })) ?? '') as Found;
    expect([Object.keys(http), Object.keys(queue)]).toEqual([['GET /orders', 'GET /reports'], ['reports']]);
    expect(http['GET /orders']?.scopes).toEqual(['orders:read']);
  });

  it('has no contract with contract: false', () => {
    expect(textOf(newService({ contract: false }))).toBeUndefined();
  });

  it('has the contract of the first of two services that register the same operation, with a warning', () => {
    const stack = newStack();
    newService({}, stack);
    const second = newService({ contract: { against: [] } }, stack, 'Other');
    const found = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('registered by two services'));
    expect(found.map(({ id }) => id)).toEqual([`/${second.node.path}`]);
  });
});

describe('the prop contract', () => {
  const template = () => join(folder, 'deployed/Shop.template.json');
  const changed = () => join(folder, 'contract.json');
  beforeAll(() => {
    const deployed = templateOf(newService().node.scope as Stack);
    mkdirSync(join(folder, 'deployed'));
    writeFileSync(template(), JSON.stringify(deployed));
    const contract = JSON.parse(contractInTemplate(JSON.stringify(deployed), '') ?? '') as Found;
    writeFileSync(changed(), JSON.stringify({ ...contract, http: { ...contract.http, 'GET /old': {} } }));
  });

  it('fails at synth for a change that breaks what is deployed, with the way out', () => {
    const broken = messageOf(() => newService({ contract: { against: [join(folder, 'deployed'), changed()] } }));
    expect(broken).toContain('the contract breaks what is deployed: callers of GET /old: GET /old entry-removed');
    expect(broken).toContain('keep it until nothing calls it and nothing is in flight');
  });

  it('accepts the deployed contract, and a change with a reason', () => {
    const allow = join(folder, 'contract.allow.json');
    writeFileSync(allow, '{"GET /old entry-removed":"nothing calls it since May"}');
    expect(messageOf(() => newService({ contract: { against: [template(), changed()], allow } }))).toBe('');
  });

  it('also compares the file of recordContract', () => {
    const record = (against: string) => () => recordContract(newStack(), changed(), { against: [against] });
    expect(messageOf(record(template()))).toBe('');
    expect(messageOf(record('gone.json'))).toContain('gone.json does not exist');
  });

  it('must be false or an object with paths', () => {
    const wrong = { against: 'contract.json' } as never;
    expect(messageOf(() => newService({ contract: wrong }))).toContain(
      'false or { against: ["deployed/Notes.template.json"] }',
    );
  });
});

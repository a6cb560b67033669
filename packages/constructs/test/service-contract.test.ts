/** The contract of a service in the template of its stack, and its comparison with what is deployed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    const found = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('registered by two functions'));
    expect(found.map(({ id }) => id)).toEqual([`/${second.node.path}`]);
  });
});

describe('the prop contract', () => {
  const deployed = (change: (contract: Found) => void) => {
    const contract = JSON.parse(textOf(newService()) ?? '') as Found;
    change(contract);
    const file = join(folder, 'contract.json');
    writeFileSync(file, JSON.stringify(contract));
    return file;
  };

  it('fails at synth for a change that breaks what is deployed, and accepts it with a reason', () => {
    const file = deployed(({ http }) => {
      http['GET /old'] = {};
    });
    const allow = join(folder, 'contract.allow.json');
    const broken = messageOf(() => newService({ contract: { against: [file], allow } }));
    expect(broken).toContain('the contract breaks what is deployed: callers of GET /old: GET /old entry-removed');
    expect(broken).toContain('keep it until nothing calls it and nothing is in flight');
    writeFileSync(allow, '{"GET /old entry-removed":"nothing calls it since May"}');
    expect(messageOf(() => newService({ contract: { against: [file], allow } }))).toBe('');
  });

  it('compares with the template of a deployed stack, and with a file for recordContract', () => {
    const file = join(folder, 'Shop.template.json');
    writeFileSync(file, JSON.stringify(templateOf(newService().node.scope as Stack)));
    expect(messageOf(() => newService({ contract: { against: [folder] } }))).toContain('GET /old entry-removed');
    expect(messageOf(() => newService({ contract: { against: [file] } }))).toBe('');
    expect(messageOf(() => recordContract(newStack(), join(folder, 'contract.json'), { against: [file] }))).toBe('');
  });

  it.each([
    [{ against: ['gone.json'] }, 'gone.json does not exist'],
    [{ against: 'contract.json' }, 'false or { against: ["deployed/Notes.template.json"] }'],
  ])('rejects %j', (contract, problem) => {
    expect(messageOf(() => newService({ contract: contract as never }))).toContain(problem);
  });
});

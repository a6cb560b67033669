/** Variables that an application checks with `environment()`, compared at synth with the variables of its function. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { inventoryFromEntry, Service, ServiceFunction, ServiceWiring } from '../src/index.js';
import { newProject } from './support/folders.js';
import { messageOf, newStack, templateOf } from './support/synth.js';

const PARAMETERS = fileURLToPath(new URL('../../parameters/src/index.ts', import.meta.url));
const files = newProject({
  'lambda.js': 'export const handler = () => {};',
  'app.js': `
    import { environment } from ${JSON.stringify(PARAMETERS)};
    const string = (accepts) => ({ '~standard': { version: 1, vendor: 'test', validate: (value) => accepts(value) ? { value } : { issues: [{ message: 'wrong' }] } } });
    export const env = environment({
      ORDERS_TABLE: string((value) => value?.startsWith('orders-')),
      LIMITS: string((value) => value !== undefined),
      OPTIONAL: string(() => true),
      AWS_REGION: string((value) => value !== undefined),
    });
    export const app = { routes: () => [], triggers: () => [] };
  `,
});
const conditions = ['@sallyport/source'];

function synthWith(environment: Readonly<Record<string, string>>, hasLimits = true): string {
  const stack = newStack();
  const parameters = hasLimits ? { LIMITS: new StringParameter(stack, 'Limits', { stringValue: '1' }) } : {};
  const { fn } = new ServiceFunction(stack, 'Api', { entry: join(files, 'lambda.js'), environment, parameters });
  const inventory = inventoryFromEntry({ entry: join(files, 'app.js'), conditions });
  new ServiceWiring(stack, 'Wiring', { fn, inventory });
  return messageOf(() => templateOf(stack));
}

it('a stack that sets all variables passes; Lambda sets its own, and a value that is known after deployment is not checked', () => {
  expect(synthWith({ ORDERS_TABLE: 'orders-live' })).toBe('');
});

it('one message names every variable that is missing or does not fit, and no value', () => {
  const message = synthWith({ ORDERS_TABLE: 'invoices-live' }, false);
  expect(message).toContain('environment(): ORDERS_TABLE does not fit its schema, LIMITS is missing, expected');
  expect(message).not.toContain('invoices-live');
});

it('the inventory lists the variables', () => {
  expect(inventoryFromEntry({ entry: join(files, 'app.js'), conditions }).deployment?.environment).toEqual([
    { name: 'ORDERS_TABLE', problem: 'missing' },
    { name: 'LIMITS', problem: 'missing' },
    { name: 'OPTIONAL' },
    { name: 'AWS_REGION', problem: 'missing' },
  ]);
});

it('a Service checks the variables of its application', () => {
  const app = newProject({
    'src/lambda.ts': `
      import { environment } from ${JSON.stringify(PARAMETERS)};
      import { SecureApp } from ${JSON.stringify(fileURLToPath(new URL('../../secure/src/index.ts', import.meta.url)))};
      const text = { '~standard': { version: 1, vendor: 'test', validate: (value) => typeof value === 'string' ? { value } : { issues: [{ message: 'wrong' }] } } };
      environment({ ORDERS_TABLE: text, MODE: text });
      const app = new SecureApp({ principalResolver: async () => null });
      app.queue('orders', () => {});
      export const handler = app.handleLambda;
    `,
  });
  const stack = newStack();
  const service = new Service(stack, 'Orders', {
    entry: join(app, 'src/lambda.ts'),
    stage: 'preview',
    conditions,
    environment: { MODE: 'a' },
  });
  expect(service.node.children.length).toBeGreaterThan(0);
  const message = messageOf(() => templateOf(stack));
  expect(message).toContain('environment(): ORDERS_TABLE is missing, expected');
});

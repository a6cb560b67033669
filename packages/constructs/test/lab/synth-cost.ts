/**
 * Measures the CPU time of a stack with 100 routes and 20 sources, and of the same resources as plain resources of the CDK:
 * `node --conditions=@sallyport/source --import tsx test/lab/synth-cost.ts` in this package.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { App, CfnResource, Stack } from 'aws-cdk-lib/core';
import { HttpApi, type Inventory, ServiceFunction, ServiceQueue, ServiceWiring } from '../../src/index.js';

process.env.CDK_VALIDATION = 'false';
const folder = mkdtempSync(join(tmpdir(), 'sallyport-cost-'));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

const inventory: Inventory = {
  version: 1,
  container: 'secure',
  routes: upTo(100).map((index) => ({
    surface: 'http',
    method: index % 2 === 0 ? 'GET' : 'PUT',
    path: `/r${Math.floor(index / 2)}/{id}`,
    posture: 'authenticated',
  })),
  triggers: upTo(20).map((index) => ({ kind: 'queue', name: `q${index}` })),
};

function withConstructs(stack: Stack): void {
  const { fn } = new ServiceFunction(stack, 'Service', { code: Code.fromInline('exports.handler = 1') });
  const wiring = new ServiceWiring(stack, 'Wiring', { fn, inventory });
  wiring.http(new HttpApi(stack, 'Http', { fn }));
  for (const { name = '' } of inventory.triggers) wiring.queue(name, new ServiceQueue(stack, name).queue as IQueue);
}

interface Resources {
  readonly [id: string]: { readonly Type: string; readonly Properties?: Record<string, unknown> };
}

/** The CPU time in milliseconds, and the resources. */
function measure(make: (stack: Stack) => void): readonly [number, Resources] {
  const start = process.cpuUsage();
  const app = new App({ outdir: mkdtempSync(join(folder, 'out-')), analyticsReporting: false });
  make(new Stack(app, 'Cost'));
  const { Resources } = app.synth().getStackByName('Cost').template as { readonly Resources: Resources };
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1000, Resources];
}

const [, resources] = measure(withConstructs);
const plain = (stack: Stack) => {
  for (const [id, { Type, Properties = {} }] of Object.entries(resources))
    new CfnResource(stack, id, { type: Type, properties: Properties });
};
measure(plain);
const best = (make: (stack: Stack) => void) => Math.round(Math.min(...upTo(5).map(() => measure(make)[0])));
const [ours, cdk] = [best(withConstructs), best(plain)];
rmSync(folder, { recursive: true });
process.stdout.write(`${Object.keys(resources).length} resources: ${ours} ms CPU, as plain resources ${cdk} ms\n`);

/** Judges every edit of the example `notes`. Run in its folder by `scripts/synth.mjs`. */
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration, type Stack } from 'aws-cdk-lib/core';
import { createDemoApp } from '../../../../../examples/notes/demo/entry.js';
import {
  DataStream,
  type InventoryTrigger,
  ServiceQueue,
  type ServiceWiring,
  toInventory,
} from '../../../src/index.js';
import { type Edit, editsOf } from './edits.js';
import { NotesStack } from './notes-stack.js';
import { judgeEdits } from './verdicts.js';

const publicUrl = 'https://notes.example.com';
const inventory = toInventory(
  createDemoApp({ issuer: 'https://issuer.example.com', keysUrl: `${publicUrl}/keys`, publicUrl }),
);

const added = (trigger: InventoryTrigger, add: (wiring: ServiceWiring, stack: Stack) => void): Edit => ({
  name: `add ${trigger.kind}`,
  inventory: { ...inventory, triggers: [...inventory.triggers, trigger] },
  renamed: new Map(),
  add,
});

const ADDED = [
  added({ kind: 'queue', name: 'added' }, (wiring, stack) =>
    wiring.queue('added', new ServiceQueue(stack, 'Added').queue as IQueue),
  ),
  added({ kind: 'stream', name: 'added' }, (wiring, stack) =>
    wiring.kinesis('added', new DataStream(stack, 'Added').stream),
  ),
  added({ kind: 'topic', name: 'added' }, (wiring, stack) => wiring.topic('added', new Topic(stack, 'Added'))),
  added({ kind: 'event-bus', selector: { source: 'added' } }, (wiring) => wiring.eventBus({ source: 'added' })),
  added({ kind: 'event-bus', selector: { ruleName: 'added' } }, (wiring) =>
    wiring.schedule('added', Schedule.rate(Duration.hours(1))),
  ),
];
const addedRoute = (route: object): Edit => ({
  name: `add ${JSON.stringify(route)}`,
  inventory: { ...inventory, routes: [...inventory.routes, { posture: 'authenticated', ...route } as never] },
  renamed: new Map(),
});
const ROUTES = [
  addedRoute({ surface: 'http', method: 'GET', path: '/added' }),
  addedRoute({ surface: 'http', method: 'PUT', path: '/notes/{anotherName}/added' }),
  addedRoute({ surface: 'websocket', webSocketRouteKey: 'added' }),
];
const EXTERNAL = ['invoke', 'agentcore'];

judgeEdits(
  'Notes',
  (app, given) =>
    new NotesStack(app, 'Notes', {
      env: { region: 'eu-west-1' },
      issuer: 'https://issuer.example.com',
      jwksUri: 'https://issuer.example.com/jwks.json',
      domainName: 'notes.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/6f1f8e4c-5a3b-4d44-9d86-0123456789ab',
      inventory: given,
    }),
  [...editsOf(inventory, ({ kind }) => !EXTERNAL.includes(kind)), ...ADDED, ...ROUTES],
);

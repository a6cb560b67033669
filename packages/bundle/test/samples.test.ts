/** The events of the maker: each registered kind is reached, through the real gate and pipeline. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from '@sallyport/triggers/catalogue';
import { startTextOf } from '../src/cache/internal/loader.js';
import { type MakerJob, runMaker } from '../src/cache/internal/run-maker.js';
import { samplesOf } from '../src/cache/internal/samples.js';
import { bundle, FUNCTIONS } from './support/bundles.js';

const { folder, inventory = { routes: [], triggers: [] } } = bundle(join(FUNCTIONS, 'everything.ts'), {
  startCache: true,
});
const job: MakerJob = {
  folder,
  text: startTextOf(readFileSync(join(folder, 'app.js'))),
  handler: 'handler',
  environment: {},
  timeout: 60,
  samples: samplesOf(inventory),
  writes: false,
};

it('every kind answers, the gate rejects an anonymous caller, and a failing handler also returns an answer', () => {
  const { answers = [], refused, error } = runMaker({ node: process.execPath, memory: 256 }, job);
  expect(error).toBeUndefined();
  expect(refused).toEqual([]);
  expect(answers.map(({ label, outcome, status }) => [label, status ?? outcome])).toEqual([
    ['gateway-v2 GET /health', 200],
    ['function-url GET /health', 200],
    ['gateway-v1 GET /health', 200],
    ['load-balancer GET /health', 200],
    ['gateway-v2 GET /notes/{id}', 401],
    ['gateway-v2 POST /notes', 401],
    ['gateway-v2 GET /notes/{id}, with a caller', 200],
    ['gateway-v1 GET /notes/{id}, with a caller', 401],
    ['mcp initialize', 401],
    ['mcp notifications/initialized', 401],
    ['mcp tools/list', 401],
    ['mcp initialize', 200],
    ['mcp notifications/initialized', 202],
    ['mcp tools/list', 200],
    ['mcp tools/call', 200],
    ['websocket $connect', 204],
    ['websocket say', 204],
    ['appsync Query.note', 'answered'],
    ['appsync Query.note, with a caller', 'answered'],
    ['queue orders', 'answered'],
    ['table-stream notes', 'answered'],
    ['stream clicks', 'answered'],
    ['topic alerts', 'answered'],
    ['event-bus', 'answered'],
    ['s3 photos', 'answered'],
    ['s3 photos', 'answered'],
  ]);
});

it('every kind of the catalogue has an event with the registered name', () => {
  for (const [kind, { sample }] of Object.entries(CATALOGUE)) {
    const [first = ''] = sample.names;
    const samples = samplesOf({ routes: [], triggers: [{ kind, name: 'registered' }] });
    expect(samples.length).toBe(sample.events.length);
    if (first !== '' && !first.includes('*')) expect(JSON.stringify(samples)).toContain('registered');
  }
});

it('a name that no builder accepts is left out, and an unknown kind', () => {
  expect(
    samplesOf({ routes: [], triggers: [{ kind: 'event-bus', selector: {} }, { kind: 'of another package' }] }),
  ).toHaveLength(1);
  expect(samplesOf({ routes: [{ surface: 'http', method: 'GET' }], triggers: [] }).length).toBeGreaterThan(0);
});

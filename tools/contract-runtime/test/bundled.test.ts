/** The fixtures that a bundle without parts must pass: `npm run contract -- --bundle <parts>`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { loadContract } from '@sallyport/contract';
import { bundleRuntime } from '../src/bundled.js';
import { FIXTURES } from '../src/folder.js';
import { partsOf } from '../src/parts.js';
import { validate } from '../src/validate.js';

const { fixtures } = loadContract(FIXTURES, validate);

it('a fixture with the option cors needs it', () => {
  const ids = fixtures.filter(({ setup }) => 'cors' in (setup.options ?? {}));
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.filter((one) => !partsOf(one).has('cors'))).toEqual([]);
});

it('a fixture names the parts of its registrations, calls and events', () => {
  const named = (area: string, part: string) =>
    fixtures.filter(({ id }) => id.startsWith(`${area}/`)).filter((one) => partsOf(one).has(part as never)).length;
  expect(named('queues', 'events')).toBeGreaterThan(0);
  expect(named('sockets', 'websocket')).toBeGreaterThan(0);
  expect(named('graph', 'graphql')).toBeGreaterThan(0);
  expect(named('explain', 'explain')).toBeGreaterThan(0);
  expect(named('gate', 'explain')).toBe(0);
});

it('an unknown part is rejected, and the fixture of a folder needs its folder', () => {
  expect(() => bundleRuntime('gate')).toThrow('--bundle: unknown part "gate"; known are none, events');
  const { selects } = bundleRuntime('none');
  expect(fixtures.filter((one) => !selects(one)).map(({ id }) => id)).toEqual(['manifest/opt-in-sources']);
  const explains = fixtures.filter(({ id }) => id.startsWith('explain/'));
  const without = bundleRuntime('sallyport-no-explain');
  expect(explains.filter((one) => partsOf(one).has('explain') && without.selects(one))).toEqual([]);
});

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

it.each([
  ['none', fixtures.length - 1],
  ['events,websocket,graphql,surfaces,cors,hooks,forms,explain,openapi,gateway-v1,load-balancer', 800],
  ['observability,gateway-v2,function-url', 650],
])('npm run contract -- --bundle %s passes', (parts, least) => {
  const args = ['--conditions=@sallyport/source', '--import', 'tsx', 'scripts/contract.ts', '--bundle', parts];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  const [summary = '', passed = ''] = /(\d+) passed, 0 failed, 0 skipped\n$/.exec(stdout) ?? [];
  expect({ status, tail: summary === '' ? stdout.slice(-500) : '' }).toEqual({ status: 0, tail: '' });
  expect(Number(passed)).toBeGreaterThanOrEqual(least);
});

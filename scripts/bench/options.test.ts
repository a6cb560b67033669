import { parseOptions } from './options.js';

const namesOf = (args: readonly string[]) => parseOptions(args).peers.map(({ name }) => name);

it('measures everything when nothing is named', () => {
  expect(parseOptions([])).toMatchObject({ rounds: 11, quick: false, cold: true, writeReadme: false });
  expect(parseOptions([]).workloads).toHaveLength(25);
});

it('measures a named peer next to bare, twice', () => {
  expect(namesOf(['--only', 'ours'])).toEqual(['bare', 'ours', 'bare again']);
});

it('measures the lean tiers only when they are named', () => {
  expect(namesOf([])).not.toContain('ours P0');
  expect(namesOf(['--only', 'ours P0'])).toEqual(['bare', 'ours P0', 'bare again']);
});

it('accepts a workload and a peer together', () => {
  const { workloads, cold } = parseOptions(['--only', 'sqs', '--only', 'Middy']);
  expect(workloads).toEqual(['sqs']);
  expect(cold).toBe(false);
});

it('starts no workload for the cold start alone', () => {
  expect(parseOptions(['--only', 'cold'])).toMatchObject({ workloads: [], cold: true });
});

it('is quick with fewer rounds and without the cold start', () => {
  expect(parseOptions(['--quick'])).toMatchObject({ rounds: 5, cold: false });
});

it('measures another checkout after the rest', () => {
  expect(namesOf(['--only', 'ours', '--against', '../before'])).toEqual(['bare', 'ours', 'bare again', 'ours before']);
});

it.each([
  [['--only', 'get-v3'], 'nothing is called get-v3'],
  [['--rounds', '0'], '--rounds wants a whole number above 0'],
  [['--rounds', 'many'], '--rounds wants a whole number above 0'],
])('rejects %j', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

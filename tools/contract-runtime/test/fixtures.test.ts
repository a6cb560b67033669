import {
  type ContractRuntime,
  inProcess,
  loadContract,
  runContract,
  uncovered,
  type Verdict,
} from '@sallyport/contract';
import type { MetricRecord } from '@sallyport/core';
import { TOOL_FUNCTIONS } from '../src/functions/tools.js';
import { createTypeScriptRuntime, FIXTURES, validate } from '../src/index.js';
import { faultsOf, newSink, SINKS } from './support/emf.js';

const contract = loadContract(FIXTURES, validate);
/** The metrics of all fixtures, which CloudWatch must accept. */
const kinds = new Set<string>();
const areas = [...new Set(contract.fixtures.map(({ area }) => area))];

/** The runtime, and the metrics of all its steps. */
function recordMetrics(inner: ContractRuntime) {
  const metrics: MetricRecord[] = [];
  const runtime: ContractRuntime = {
    ...inner,
    run: async (message) => {
      const answer = await inner.run(message);
      if (answer.type === 'done') metrics.push(...answer.steps.flatMap((step) => (step.metrics ?? []) as never[]));
      return answer;
    },
  };
  return { runtime, metrics };
}

describe('the contract fixtures', () => {
  it('are valid', () => {
    expect(contract.invalid).toEqual([]);
  });

  it('cover every requirement', () => {
    expect(uncovered(contract)).toEqual([]);
  });

  it('are never skipped by this runtime', () => {
    expect([...contract.skips('typescript')]).toEqual([]);
  });

  it.each(areas)('of %s pass with the TypeScript packages', async (area) => {
    const fixtures = contract.fixtures.filter((fixture) => fixture.area === area);
    const { runtime, metrics } = recordMetrics(createTypeScriptRuntime(TOOL_FUNCTIONS));
    const verdicts = await runContract(inProcess(runtime), contract, fixtures);
    expect(verdicts.filter(({ outcome }: Verdict) => outcome !== 'passed')).toEqual([]);
    expect(verdicts).toHaveLength(fixtures.length);
    for (const options of SINKS) {
      const { sink, lines } = newSink(options);
      for (const record of metrics) sink(record);
      expect(lines).toHaveLength(metrics.length);
      expect(lines.flatMap(faultsOf)).toEqual([]);
    }
    for (const { name } of metrics) kinds.add(name);
  });

  it('write every kind of metric', () => {
    expect([...kinds].sort()).toEqual(['framework.call', 'framework.event', 'framework.limit', 'framework.request']);
  });
});

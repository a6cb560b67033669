import { createEmfSink, type EmfSinkOptions } from '@sallyport/core/observability';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { metricCost } from '../src/function/internal/metric-cost.js';
import { FunctionUrl, ServiceWiring, toInventory } from '../src/index.js';
import { newFn } from './support/function.js';
import { newStack } from './support/synth.js';

function newApp(routes: number, queues: number, options: EmfSinkOptions = {}) {
  const metric = createEmfSink({ namespace: 'Shop', environment: {}, ...options });
  const app = new SecureApp({ principalResolver: () => null, log: false, observability: { metric } });
  for (let n = 0; n < routes; n += 1) app.get(`/r${n}/{id}`, () => json(200, {}), Authenticated());
  for (let n = 0; n < queues; n += 1) app.queue(`q${n}`, () => {});
  return app;
}

describe('the price of the metrics of a function', () => {
  it.each([
    // 4 metrics by service and kind, the errors by service, the cold starts; the errors by version.
    ['10 routes', 10, 0, {}, { metrics: 6, ofVersion: 1, usdAMonth: 2.1 }],
    ['100 routes', 100, 0, {}, { metrics: 6, ofVersion: 1, usdAMonth: 2.1 }],
    ['10 routes by route', 10, 0, { by: ['route'] }, { metrics: 50, ofVersion: 1, usdAMonth: 15.3 }],
    // 7 metrics by service and kind, the failures by service, the cold starts; the failures by version.
    ['3 queues', 0, 3, {}, { metrics: 9, ofVersion: 1, usdAMonth: 3 }],
    ['3 queues by source', 0, 3, { by: ['source'] }, { metrics: 30, ofVersion: 1, usdAMonth: 9.3 }],
    ['routes and queues', 10, 3, {}, { metrics: 14, ofVersion: 2, usdAMonth: 4.8 }],
    ['the dimension service alone', 10, 0, { dimensions: [['service']] }, { metrics: 5, ofVersion: 1, usdAMonth: 1.8 }],
  ] as const)('%s', (_name, routes, queues, options, expected) => {
    expect(metricCost(toInventory(newApp(routes, queues, options)), 1)).toEqual(expected);
  });

  it('40 functions with 10 routes each cost 84 USD a month', () => {
    const { usdAMonth = 0 } = metricCost(toInventory(newApp(10, 0)), 1) ?? {};
    expect(Math.round(usdAMonth * 40)).toBe(84);
  });

  it('is unknown for an application without metrics', () => {
    expect(metricCost({ version: 1, container: 'secure', routes: [], triggers: [] }, 1)).toBeUndefined();
  });

  it('is printed at synth, once for each function', () => {
    const stack = newStack();
    const fn = newFn(stack, 'Api');
    const wiring = new ServiceWiring(stack, 'Wiring', { fn, inventory: toInventory(newApp(10, 0, { by: ['route'] })) });
    wiring.http(new FunctionUrl(stack, 'Url', { fn }));
    const infos = Annotations.fromStack(stack).findInfo('*', Match.stringLikeRegexp('^Custom metrics'));
    expect(infos.map(({ entry }) => entry.data)).toEqual([
      'Custom metrics by service, kind, route: at most 50, and 1 for each running version, 15.30 USD a month (list price of us-east-1). Not included: declared metrics, MCP calls, rate limits.',
    ]);
  });
});

/** A whole service from one application. */
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Duration } from 'aws-cdk-lib/core';
import { Service, type ServiceProps, Source } from '../src/index.js';
import { CONDITIONS, newApplication } from './support/application.js';
import { messageOf, newStack, propertiesOf, type Template, templateOf } from './support/synth.js';

const ORDERS = `
app.get('/health', () => json(200, { ok: true }), Public());
app.get('/orders', () => json(200, []), Authenticated('orders:read'));
app.queue('orders', () => undefined);
app.queue('reports', () => undefined);
app.eventBus({ ruleName: 'nightly' }, () => undefined);
`;
const SOURCES = [
  Source.queue('orders'),
  Source.queue('reports'),
  Source.schedule('nightly', Schedule.cron({ hour: '3', minute: '0' })),
];

function newService(entry: string, props: Partial<ServiceProps> = {}): Service {
  return new Service(newStack(), 'Orders', { entry, stage: 'production', conditions: CONDITIONS, ...props });
}

const typesOf = (template: Template, pattern: RegExp) =>
  Object.values(template.Resources)
    .map(({ Type }) => Type)
    .filter((type) => pattern.test(type))
    .sort();

describe('Service', () => {
  const entry = newApplication(ORDERS);

  it('creates the function, its sources, its door, alarms and a dashboard from the registrations', () => {
    const service = newService(entry, { sources: SOURCES });
    const template = templateOf(service.node.scope as never);
    expect(typesOf(template, /Lambda::(?:Function|EventSource)|SQS::Queue$|ApiGatewayV2::(?:Api|Route)$|Events::Rule|Dashboard/)).toEqual([
      'AWS::ApiGatewayV2::Api',
      'AWS::ApiGatewayV2::Route',
      'AWS::ApiGatewayV2::Route',
      'AWS::CloudWatch::Dashboard',
      'AWS::Events::Rule',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
      'AWS::SQS::Queue',
      'AWS::SQS::Queue',
      'AWS::SQS::Queue',
      'AWS::SQS::Queue',
      'AWS::SQS::Queue',
      'AWS::SQS::Queue',
    ]);
    expect(Object.keys(service.queues)).toEqual(['orders', 'reports']);
    expect(service.url).toBe(service.doors.httpApi?.url);
  });

  it('fails at synth for a handler without a source, with the line to add', () => {
    const service = newService(entry, { sources: SOURCES.slice(1) });
    expect(messageOf(() => templateOf(service.node.scope as never))).toContain(
      'the application registers queue "orders", the stack attaches none, expected Source.queue("orders") in "sources" of the service (at Test/Orders/Wiring)',
    );
  });
});
void Duration;
void propertiesOf;
export type Unused = IFunction;

/** The opt-in triggers in both directions: what the application registers, and what the stack attaches. */
import { SecureApp, type SecureAppOptions } from '@sallyport/secure';
import { s3Trigger } from '@sallyport/triggers/s3';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { App } from 'aws-cdk-lib/core';
import { ServiceFunction } from '../src/function.js';
import { ServiceWiring, toInventory } from '../src/wiring.js';
import { messageOf, newStack, propertiesOf, templateOf, variablesIn } from './support/synth.js';

type Surfaces = NonNullable<SecureAppOptions['surfaces']>;

const nothing = () => undefined;

function newService(surfaces: Surfaces) {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  const inventory = toInventory(new SecureApp({ principalResolver: () => null, surfaces }));
  return { stack, fn, wiring: new ServiceWiring(stack, 'Wiring', { fn, inventory }) };
}

type Service = ReturnType<typeof newService>;

const KINDS: readonly {
  readonly kind: string;
  readonly surface: () => Surfaces[number];
  readonly attach: (service: Service) => unknown;
  readonly label: string;
  readonly remedy: string;
  readonly made: string;
}[] = [
  {
    kind: 'a bucket',
    surface: () => s3Trigger().bucket('uploads', nothing),
    attach: ({ stack, wiring }) => wiring.s3('uploads', new Bucket(stack, 'B') as IBucket),
    label: 's3 "uploads"',
    remedy: 'wiring.s3("uploads", …)',
    made: 'Custom::S3BucketNotifications',
  },
];

const other = () => s3Trigger().bucket('others', nothing);

describe.each(KINDS)('$kind', ({ surface, attach, label, remedy, made }) => {
  it('is attached when both have it', () => {
    const service = newService([surface()]);
    attach(service);
    expect(propertiesOf(templateOf(service.stack), made)).toHaveLength(1);
  });

  it('fails at synth when the stack lacks it', () => {
    const { stack } = newService([surface()]);
    expect(messageOf(() => (stack.node.root as App).synth())).toContain(
      `framework: ServiceWiring: the application registers ${label}, the stack attaches none, expected ${remedy} (at Test/Wiring)`,
    );
  });

  it('fails at once when the application lacks it', () => {
    const service = newService([other()]);
    expect(messageOf(() => attach(service))).toMatch(
      /^framework: ServiceWiring: the stack attaches .*, and the application registers none, expected what it registers: s3 "others" \(at Test\/Wiring\)$/,
    );
  });
});

it('the application gets the deployed names of buckets', () => {
  const { stack, wiring } = newService([s3Trigger().bucket('uploads', nothing)]);
  wiring.s3('uploads', new Bucket(stack, 'B') as IBucket);
  expect(JSON.stringify(variablesIn(templateOf(stack)).FRAMEWORK_EVENT_SOURCES)).toMatch(
    /^\{"Fn::Join":\["",\["\{\\"s3\\":\{\\"uploads\\":\\"",\{"Ref":"B\w+"\},"\\"\}\}"\]\]\}$/,
  );
});

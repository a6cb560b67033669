import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { createTestEnv, type TestEnv } from '@sallyport/testkit';
import type { TriggerSurface } from '@sallyport/triggers';

export interface Invokes {
  handleLambda(event: unknown, lambdaContext?: object): Promise<unknown>;
}

/** Ways to serve a surface; each calls `make` for a new surface. */
export const HOSTS: readonly [string, (make: () => TriggerSurface, env?: TestEnv) => Invokes][] = [
  ['the open container', (make, env = createTestEnv()) => createApp({ ...env.options(), surfaces: [make()] })],
  [
    'the secure container',
    (make, env = createTestEnv()) =>
      new SecureApp({ ...env.options(), principalResolver: () => null, surfaces: [make()] }).get(
        '/',
        () => json(200, {}),
        Public(),
      ),
  ],
  ['its own handler', (make) => make()],
];

export const AGENT = { clientContext: { custom: { bedrockAgentCoreToolName: 'notes___add' } } };

/** The messages of the logged errors, in order. */
export function errorsIn({ records }: TestEnv): string[] {
  return records.logs.flatMap(({ error }) =>
    typeof error === 'object' && error !== null ? [String((error as Error).message)] : [],
  );
}

/** The Lambda context of an invocation of an alias. */
export function viaAlias(alias: string): { readonly invokedFunctionArn: string } {
  return { invokedFunctionArn: `arn:aws:lambda:us-east-1:123456789012:function:home:${alias}` };
}

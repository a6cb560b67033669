import type { SecurePrincipal } from '@sallyport/core';
import {
  createMicrovmController,
  type MicrovmController,
  type MicrovmControllerOptions,
  mountMicrovmController,
} from '@sallyport/microvm';
import {
  createFakeMicrovmProvider,
  createMemoryMicrovmRegistry,
  type FakeMicrovmProvider,
  type FakeMicrovmProviderOptions,
  type MemoryMicrovmRegistry,
} from '@sallyport/microvm/testing';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import type { LeakWatch } from './leaks.js';
import { IMAGE } from './wire.js';

/** A closed service with the routes of a controller. */
export interface TestService {
  readonly app: SecureApp;
  readonly controller: MicrovmController;
  readonly provider: FakeMicrovmProvider;
  readonly registry: MemoryMicrovmRegistry;
}

export const ADA: SecurePrincipal = {
  identity: 'ada',
  tenantId: 't1',
  scopes: ['microvm:use', 'microvm:shell'],
  claims: { namespace: 'default' },
};

/** Reads the caller from a header with JSON that the tests set; `null` is an anonymous caller. */
const fromHeader = (ctx: { header(name: string): string | undefined }): SecurePrincipal | null =>
  JSON.parse(ctx.header('x-test-principal') ?? JSON.stringify(ADA)) as SecurePrincipal | null;

export function createService(
  watch: LeakWatch,
  {
    secure,
    controller: options,
    fake,
  }: {
    readonly secure?: SecureOptions;
    readonly controller?: Partial<MicrovmControllerOptions>;
    readonly fake?: FakeMicrovmProviderOptions;
  } = {},
): TestService {
  const provider = createFakeMicrovmProvider(fake);
  watch.secrets(() => provider.secrets);
  const registry = createMemoryMicrovmRegistry();
  const { logger: log, observability } = watch;
  const app = new SecureApp({ principalResolver: fromHeader, log, observability, ...secure });
  const controller = createMicrovmController({
    provider,
    registry,
    images: [{ ref: IMAGE, version: '3.0' }],
    environment: {},
    onLifecycleEvent: watch.event,
    ...options,
  });
  const posture = Authenticated('microvm:use');
  mountMicrovmController(app, controller, { posture, shellPosture: Authenticated('microvm:shell') });
  return { app, controller, provider, registry };
}

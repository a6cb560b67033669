import { createHash } from 'node:crypto';
import type { Context } from '@sallyport/core';
import { json } from '@sallyport/http';
import {
  createMicrovmController,
  type MicrovmController,
  type MicrovmControllerOptions,
  type MicrovmSessionView,
  mountMicrovmController,
  toMicrovmCaller,
} from '@sallyport/microvm';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';

/** The parts of the service. */
export interface SandboxParts {
  readonly secure: SecureOptions;
  readonly microvms: Omit<MicrovmControllerOptions, 'ownership'>;
}

/**
 * All users share one tenant here, and each has a namespace: its list contains only this user's sessions, regardless of the number of users.
 * An identity can be long and contain any characters; a namespace has at most 128 bytes.
 */
const binding = (ctx: Pick<Context, 'authIdentity'>) => ({
  tenantId: 'sandbox',
  namespace: createHash('sha256').update(ctx.authIdentity).digest('hex'),
});
const callerOf = (ctx: Context) => toMicrovmCaller(ctx, { binding });

/** A service that runs a separate machine for each user, and proxies requests to it. */
export function createSandbox({ secure, microvms }: SandboxParts): SecureApp {
  const app = new SecureApp(secure);
  const controller = createMicrovmController({ ...microvms, ownership: 'subject' });

  app.post('/sandbox', (ctx) => openSandbox(controller, ctx), Authenticated());
  mountMicrovmController(app, controller, {
    posture: Authenticated(),
    shellPosture: Authenticated('sandbox:shell'),
    binding,
  });
  app.eventBus({ ruleName: 'sandbox-sweep' }, () => controller.sweep());
  return app;
}

/** The user's usable machine, or a new machine. */
async function openSandbox(controller: MicrovmController, ctx: Context) {
  const caller = callerOf(ctx);
  const { sessions } = await controller.list(caller, { refresh: true });
  const open = sessions.find(isOpen);
  const { sessionId, state } = open ?? (await controller.run(caller, { idempotencyKey: keyAfter(sessions) }));
  return json(200, { session_id: sessionId, state, url: `/microvms/${sessionId}/invoke/` });
}

function isOpen({ state }: MicrovmSessionView): boolean {
  return state !== 'terminating' && state !== 'terminated' && state !== 'failed';
}

/** Concurrent requests name the same session as the last one, so they run one machine together. */
function keyAfter(sessions: readonly MicrovmSessionView[]): string {
  const [last] = [...sessions].sort((left, right) => (left.createdAt < right.createdAt ? 1 : -1));
  return `after-${last?.sessionId ?? 'none'}`;
}
